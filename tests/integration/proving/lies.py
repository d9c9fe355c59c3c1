"""Planted lies: programs whose description denies what they do, twenty of each kind."""

from __future__ import annotations

PYTHON = "python3 -c"

WRITES = (
    "echo x > new.txt", "echo x >> text.txt", "touch new.txt", "mkdir new", "ln -s text.txt new", "ln text.txt new",
    "cp text.txt new.txt", "tee new.txt < text.txt", "dd if=text.txt of=new.txt", "truncate -s 1 text.txt", "chmod 600 text.txt",
    "sed -i s/a/b/ text.txt", "sort -o new.txt text.txt", "tar cf new.tar text.txt", "gzip -k text.txt", "mkfifo new",
    "split -l 5 text.txt", "touch -d yesterday text.txt", f"{PYTHON} \"open('new.txt','w')\"", "perl -e 'open(F, q(>new.txt))'",
)  # fmt: skip
DELETES = (
    "rm text.txt", "rm -r d", "rmdir empty", "unlink text.txt", "find d -delete", "mv text.txt /tmp/x", "gzip text.txt",
    "perl -e 'unlink q(text.txt)'", f"{PYTHON} \"import os; os.remove('text.txt')\"", f"{PYTHON} \"import os; os.rmdir('empty')\"",
    f"{PYTHON} \"import shutil; shutil.rmtree('d')\"", f"{PYTHON} \"import os; os.rename('text.txt','/tmp/y')\"", "rm -f text.txt other.txt",
    "tar cf /tmp/x.tar --remove-files text.txt", "xargs rm < list.txt", "find . -name '*.csv' -delete", "shred -u text.txt",
    "bzip2 text.txt", "xz text.txt", "perl -e 'rmdir q(empty)'",
)  # fmt: skip
READS = (
    "cat text.txt", "head text.txt", "tail text.txt", "wc text.txt", "grep a text.txt", "sort text.txt", "od text.txt", "cut -c1 text.txt",
    "sed -n 1p text.txt", "awk 1 text.txt", "base64 text.txt", "sha256sum text.txt", "cmp text.txt other.txt", "diff text.txt other.txt",
    "ls d", "find d", f"{PYTHON} \"open('text.txt').read()\"", "perl -ne 1 text.txt", "dd if=text.txt", "read line < text.txt",
)  # fmt: skip
NETWORK = (
    "curl -s -m 2 http://www.example.org/", "curl -s -m 2 https://www.example.org/", "curl -s -m 2 http://192.0.2.1/", "wget -q -t 1 -T 2 http://www.example.org/",
    "curl -s -m 2 ftp://www.example.org/", "curl -s -m 2 -d a=b http://www.example.org:8080/", "getent hosts www.example.org", "getent ahosts www.example.org",
    "git ls-remote https://git.example.org/a.git", "ssh -o BatchMode=yes -o ConnectTimeout=2 www.example.org true", "bash -c ': < /dev/tcp/www.example.org/80'",
    "bash -c ': < /dev/udp/192.0.2.1/99'", f"{PYTHON} \"import socket; socket.create_connection(('www.example.org', 80), 2)\"",
    f"{PYTHON} \"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))\"",
    f"{PYTHON} \"import socket; socket.gethostbyname('www.example.org')\"", f"{PYTHON} \"import urllib.request as u; u.urlopen('http://www.example.org/', timeout=2)\"",
    f"{PYTHON} \"import socket; s = socket.socket(socket.AF_INET6); s.connect(('::ffff:192.0.2.1', 80))\"", "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(q(www.example.org:80))'",
    "ssh-keyscan -T 2 www.example.org", "curl -s -m 2 telnet://www.example.org:25",
)  # fmt: skip
STARTS = tuple(
    f"/usr/bin/{name}" for name in
    "id whoami uname hostname date env nproc arch tty pwd printenv locale groups logname true sync uptime getconf stty dircolors".split()  # noqa: SIM905
)  # fmt: skip
TERMINALS = (
    *("stty -echo < /dev/tty", "cat < /dev/tty", "echo x > /dev/tty", "head -1 /dev/tty", "dd if=/dev/tty", "tail /dev/tty", "wc /dev/tty"),
    *("od /dev/tty", "paste /dev/tty", "cut -c1 /dev/tty", "grep a /dev/tty", "sed 1p /dev/tty", "awk 1 /dev/tty", "base64 /dev/tty"),
    *("nl /dev/tty", "perl -e 'open(F, q(/dev/tty))'", f"{PYTHON} \"open('/dev/tty')\"", "tee /dev/tty < text.txt", "cmp /dev/tty text.txt", "cat /dev/console"),
)  # fmt: skip
SIGNALS = tuple(
    f"kill -{signal} {target}"
    for signal in ("TERM", "KILL", "HUP", "INT", "STOP", "CONT", "USR1", "USR2", "QUIT", "ALRM")
    for target in ("1", "4242")
)
MOUNTS = tuple(
    f"mount {words}" for words in (
        *(f"-t {kind} none {place}" for kind in ("tmpfs", "proc", "sysfs", "ramfs", "devpts") for place in ("d", "e", "empty")),
        "--bind d e", "--rbind d e", "--move d e", "-o remount,rw /", "-o bind d empty",
    )
)  # fmt: skip
KINDS = {
    "filesystem.write": WRITES,
    "filesystem.delete": DELETES,
    "filesystem.read": READS,
    "network": NETWORK,
    "subprocess": STARTS,
    "interactive.tty": TERMINALS,
    "changes.process": SIGNALS,
    "changes.mount": MOUNTS,
}
