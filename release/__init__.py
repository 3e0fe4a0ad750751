"""What a release needs beside the code: changelog, man page, licences, bill of materials."""
