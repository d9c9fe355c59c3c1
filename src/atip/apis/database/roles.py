"""Roles of database servers that may do more than a read-only transaction stops: read files, start programs.

PostgreSQL: superusers and members of `pg_read_server_files` and its siblings. MySQL and MariaDB: FILE (`LOAD_FILE`,
`INTO OUTFILE`) and SUPER, granted to the account or to a role in force. Defends against threat 25 of conformance/threats.toml.
"""

from __future__ import annotations

import re
from typing import Any

from atip.errors import PolicyError

MIGHTY_WORD = "unsafe_superuser"
_SERVER_ROLES = "'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'"
_POSTGRES = f"""SELECT bool_or(r.rolsuper OR EXISTS (SELECT 1 FROM pg_roles p WHERE p.rolname IN ({_SERVER_ROLES})
    AND pg_has_role(r.oid, p.oid, 'member'))) FROM pg_roles r WHERE r.rolname IN (current_user, session_user)"""  # noqa: S608  constants
_GLOBAL_GRANT = re.compile(r"GRANT (.*) ON \*\.\* TO ")
_MYSQL = re.compile(r"\b(?:ALL PRIVILEGES|FILE|SUPER)\b")


def refuse_mighty(connection: Any) -> None:
    """
    Raises:
        PolicyError: `api.database-role`.
    """
    accepted = connection.engine.get_execution_options().get(MIGHTY_WORD)
    # SECURITY: `pg_read_file`, `COPY … FROM PROGRAM` and `LOAD_FILE` are open to these, in a read-only transaction too.
    if not accepted and _is_mighty(connection):
        raise PolicyError(
            "api.database-role",
            "this role can read files or start programs on the database server",
            hint=f'use a role without these rights, or set "{MIGHTY_WORD}": true for the source',
        )


def _is_mighty(connection: Any) -> bool:
    if connection.dialect.name == "postgresql":
        return bool(connection.exec_driver_sql(_POSTGRES).scalar())
    grants = [str(line) for line in connection.exec_driver_sql("SHOW GRANTS").scalars()]
    global_grants = (_GLOBAL_GRANT.match(line) for line in grants)
    return any(grant is not None and _MYSQL.search(grant[1]) for grant in global_grants)
