"""Variables that change which code runs, where it connects, or what it trusts.

They are never passed into a sandbox from the caller, and a manifest may not set them: each turns
data into code (`LD_PRELOAD`, `GIT_SSH_COMMAND`, `BASH_ENV`), or moves trust (`SSL_CERT_FILE`, proxies).
"""

from __future__ import annotations

from atip.model.text.regex import late_regex

PREFIXES = (
    *("LD_", "DYLD_", "GIT_", "PYTHON", "PERL", "RUBY", "NODE_", "JAVA_", "_JAVA", "JDK_", "BASH_"),
    *("GCONV_", "GLIBC_", "MALLOC_", "NLSPATH", "LOCPATH", "SSL_CERT_", "CURL_", "NPM_CONFIG_"),
    *("PIP_", "CARGO_", "RUSTC", "GOFLAGS", "GOPROXY", "MAVEN_", "GRADLE_", "LUA_", "PHP", "SUDO_"),
    *("SSH_", "DOCKER_", "KUBECONFIG", "OPENSSL_", "LESS", "GTK_", "QT_", "ELECTRON_", "DBUS_"),
)
NAMES = frozenset(
    (
        *("PATH", "HOME", "SHELL", "IFS", "ENV", "CDPATH", "PS4", "PROMPT_COMMAND", "TMPDIR"),
        *("PAGER", "EDITOR", "VISUAL", "BROWSER", "MANPAGER", "SYSTEMD_PAGER", "FCEDIT", "PSQLRC"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY", "RES_OPTIONS"),
        *("HOSTALIASES", "LOCALDOMAIN", "RESOLV_HOST_CONF", "TERMINFO", "TERMCAP", "TZDIR"),
        *(
            "CLASSPATH",
            "R_PROFILE",
            "VIMINIT",
            "EXINIT",
            "MAKEFLAGS",
            "CC",
            "CXX",
            "XDG_CONFIG_HOME",
        ),
        *("REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE", "DISPLAY", "WAYLAND_DISPLAY", "TAR_OPTIONS"),
        *("GREP_OPTIONS", "RSYNC_RSH", "CVS_RSH", "WGETRC", "INPUTRC", "ZDOTDIR", "TCLLIBPATH"),
    )
)
NEVER_PASSED = (
    *(
        "LD_",
        "DYLD_",
        "GCONV_",
        "GLIBC_",
        "MALLOC_",
        "BASH_ENV",
        "BASH_FUNC_",
        "SHELLOPTS",
        "BASHOPTS",
    ),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONEXECUTABLE"),
    *(
        "PYTHONUSERBASE",
        "PYTHONPLATLIBDIR",
        "PYTHONBREAKPOINT",
        "PYTHONWARNINGS",
        "PERL5",
        "PERLLIB",
    ),
    *("RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"),
    *("JDK_JAVA_OPTIONS", "GIT_EXEC_PATH", "GIT_SSH", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF"),
    *(
        "GIT_PAGER",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "GIT_ASKPASS",
        "GIT_CONFIG",
        "GIT_TEMPLATE_DIR",
    ),
)
"""Prefixes of variables that no grant can pass: they make another program's code run."""
_ALSO_NEVER = NAMES - {"HOME", "DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "CC", "CXX"}
_NAME = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")


def is_variable_name(name: str) -> bool:
    """Whether this can be a variable's name at all."""
    return _NAME.fullmatch(name) is not None


def runs_code(name: str) -> bool:
    """Whether a variable can change what runs or what is trusted; capitals do not matter."""
    upper = name.upper()
    return upper in NAMES or upper.startswith(PREFIXES)


def is_never_passed(name: str) -> bool:
    """Whether a caller's variable stays outside even if `env.pass` names it."""
    upper = name.upper()
    return upper in _ALSO_NEVER or upper.startswith(NEVER_PASSED)
