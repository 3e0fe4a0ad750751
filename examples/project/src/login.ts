export function login(name: string, token: string): boolean {
  if (!token) {
    return false;
  }
  return check(name, token);
}

function check(name: string, token: string): boolean {
  return token === `${name}:secret`;
}
