"""The tools that are used most, learned first so that search is useful seconds after a scan starts. Data.

In the order in which they are learned; everything else follows, the largest first.
"""

from __future__ import annotations

_NAMES = """
git ls cp mv rm mkdir cat grep find sed awk tar curl wget ssh scp rsync chmod chown ln touch head tail sort uniq wc
cut tr xargs tee diff du df ps kill top echo printf date sleep env which python3 python pip pip3 node npm npx make
gcc g++ cc docker docker-compose kubectl helm terraform aws gcloud az gh systemctl journalctl apt apt-get dpkg
service sudo su useradd usermod groupadd passwd ip ss ping dig nc openssl gpg ssh-keygen jq yq rg fd psql mysql
sqlite3 redis-cli cargo rustc go java javac mvn gradle uv poetry pytest ruff black mypy vim nano less man zip unzip
gzip gunzip xz crontab tmux screen ffmpeg convert file stat readlink realpath mount umount lsblk fdisk free uname id
"""
_RANKS = {name: rank for rank, name in enumerate(_NAMES.split())}


def rank_of(name: str) -> int:
    """The place in which a tool is learned; names that are not in the list share the last."""
    return _RANKS.get(name, len(_RANKS))
