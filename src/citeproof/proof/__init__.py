"""What proves later what was checked: the `audit` log and its `replay`. They observe and never decide."""
