"""``python -m zonemark`` is the script ``zonemark``."""

from zonemark.binary import main

main()
