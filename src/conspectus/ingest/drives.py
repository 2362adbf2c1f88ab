"""What kind of drive a folder lies on, as far as the system tells."""

from __future__ import annotations

import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|afpfs|9p|afs|ceph|glusterfs|lustre|gpfs|beegfs|fuse\.(?:sshfs|rclone|s3fs|\w*nfs)"
)


def drive_of(folder: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system that `folder` lies on, such as `ext4` or `nfs4`; "" where that is not known."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
        place = folder.resolve()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        head, _, tail = line.partition(" - ")
        fields, types = head.split(), tail.split()
        if len(fields) < 5 or not types:
            continue
        mounted = Path(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if place.is_relative_to(mounted) and len(mounted.parts) >= best:
            best, kind = len(mounted.parts), types[0]
    return kind


def is_network(kind: str) -> bool:
    """Whether a file system of this type is another machine's."""
    return _NETWORK.fullmatch(kind) is not None
