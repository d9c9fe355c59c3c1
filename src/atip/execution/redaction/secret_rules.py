"""Patterns of secrets: the table of token kinds. Data only.

A row is (kind, anchors, pattern). A rule is tried only where one of its anchors occurs, so that ordinary
output costs next to nothing: at the anchor, or up to `BACK[anchor]` bytes before it. Anchors of `GUESSED` are
in lower case and found in any. Group 1, where there is one, is the part to hide; else all of it. Whatever a rule
finds gets a second look (`secret_values.is_plausible`). Written from what the issuers publish about
their formats.

Laws every pattern keeps, because output arrives in pieces: no match is longer than `MAX_MATCH`, none but
a private key crosses the end of a line, and no quantifier can be matched in two ways (linear time).
"""

from __future__ import annotations

import binascii

MAX_MATCH = 8192
MAX_KEY_BLOCK = 65536

_START = rb"(?<![A-Za-z0-9_])(?<!:redacted\])"
_END = rb"(?![A-Za-z0-9_])(?!\[[a-z-]{1,24}:redacted\])"

_ENCODED_HEADS = (
    *(b"ghp_", b"gho_", b"ghs_", b"github_pat_", b"glpat-", b"xoxb-", b"xoxp-", b"AKIA", b"ASIA", b"AIza", b"GOCSPX-", b"sk_live_"),
    *(b"rk_live_", b"npm_", b"pypi-", b"sk-ant-", b"sk-proj-", b"hf_", b"dckr_", b"-----BEGIN"),
)  # fmt: skip
"""Beginnings that are telling enough to be known in another spelling."""


def _in_base64(head: bytes) -> tuple[bytes, ...]:
    """Base64 spellings of a prefix, one for each offset in a group of three bytes; without characters that depend on
    neighboring bytes."""
    spellings = []
    for shift in range(3):
        encoded = binascii.b2a_base64(b"\0" * shift + head, newline=False)
        core = encoded[(0, 2, 3)[shift] : (shift + len(head)) * 8 // 6]
        spellings += [core] if len(core) >= 5 else []
    return tuple(spellings)


_BASE64_HEADS = tuple(dict.fromkeys(core for head in _ENCODED_HEADS for core in _in_base64(head)))
_HEX_HEADS = tuple(
    each for head in _ENCODED_HEADS for each in (head.hex().encode(), head.hex().upper().encode())
)

ISSUED: tuple[tuple[str, tuple[bytes, ...], bytes], ...] = (
    ("encoded-token", _BASE64_HEADS, rb"[A-Za-z0-9+/_-]{24,4000}={0,2}"),
    ("encoded-token", _HEX_HEADS, rb"[0-9A-Fa-f]{40,4000}"),
    ("github-token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
     rb"gh[a-z]_[A-Za-z0-9]{30,251}|github_pat_[A-Za-z0-9_]{22,251}"),
    ("gitlab-token", (b"glpat-", b"gloas-", b"gldt-", b"glrt-", b"glrtr-", b"glptt-", b"glft-", b"glimt-", b"glsoat-", b"glagent-", b"glcbt-", b"glffct-", b"GR1348941"),
     rb"gl[a-z]{2,6}-[A-Za-z0-9_.-]{16,300}|GR1348941[A-Za-z0-9_-]{16,60}"),
    ("slack-token", (b"xoxa", b"xoxb", b"xoxe", b"xoxo", b"xoxp", b"xoxr", b"xoxs", b"xoxc", b"xoxd", b"xapp-"),
     rb"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%-]{20,400}|xapp-[A-Za-z0-9-]{20,300}"),
    ("webhook", (b"hooks.slack.com/", b"discord.com/api/webhooks/", b"discordapp.com/api/webhooks/", b"webhook.office.com/webhookb2/"),
     rb"[a-z0-9./]{1,28}/(?:(?:services|workflows|triggers)/)?([A-Za-z0-9_/@+-]{20,300})"),
    ("aws-key-id", (b"AKIA", b"ASIA", b"ABIA", b"ACCA"), _START + rb"A[A-Z]{3}[A-Z0-9]{16}" + _END),
    ("aws-token", (b"ABSK", b"bedrock-api-key-"),
     _START + rb"(?:ABSK[A-Za-z0-9+/]{90,270}|bedrock-api-key-[A-Za-z0-9+/=]{60,2000})"),
    ("google-key", (b"AIza", b"GOCSPX-", b"ya29."),
     rb"AIza[A-Za-z0-9_-]{33,40}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_.-]{20,1000}"),
    ("stripe-key", (b"sk_live_", b"sk_test_", b"sk_prod_", b"rk_live_", b"rk_test_", b"rk_prod_", b"whsec_"),
     rb"[sr]k_[a-z]{4}_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{24,100}"),
    ("npm-token", (b"npm_",), rb"npm_[A-Za-z0-9]{30,100}"),
    ("pypi-token", (b"pypi-",), rb"pypi-[A-Za-z0-9_-]{50,1000}"),
    ("rubygems-key", (b"rubygems_",), rb"rubygems_[0-9a-f]{40,64}"),
    ("sendgrid-key", (b"SG.",), _START + rb"SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,80}"),
    ("anthropic-key", (b"sk-ant-",), rb"sk-ant-[A-Za-z0-9_-]{20,300}"),
    ("digitalocean-token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), rb"do[a-z]_v1_[0-9a-f]{40,80}"),
    ("jwt", (b"eyJ",), rb"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{4,3000}\.[A-Za-z0-9_-]{0,1000}"),
    ("twilio-key", (b"SK",), _START + rb"SK[0-9a-f]{32}" + _END),
    ("azure-secret", (b"Q~",), rb"(?<![A-Za-z0-9_~.-])(?<!:redacted\])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,40}"),
    ("mail-key", (b"key-", b"-us", b"xkeysib-", b"xsmtpsib-"),
     _START + rb"(?:key-[0-9a-f]{32}|[0-9a-f]{32}-us[0-9]{1,2}|x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16})" + _END),
    ("model-host-key", (b"hf_", b"gsk_", b"r8_", b"xai-", b"pplx-", b"api_org_"),
     _START + rb"(?:hf_|gsk_|r8_|xai-|pplx-|api_org_)[A-Za-z0-9]{30,120}" + _END),
    ("docker-token", (b"dckr_",), rb"dckr_[a-z]{3,4}_[A-Za-z0-9_-]{20,80}"),
    ("shopify-token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), rb"shp[a-z]{2}_[A-Fa-f0-9]{32}"),
    ("square-token", (b"sq0", b"EAAA"), rb"sq0[a-z]{3}-[A-Za-z0-9_-]{22,60}|" + _START + rb"EAAA[A-Za-z0-9+=_-]{56,64}" + _END),
    ("facebook-token", (b"EAAM", b"EAAC", b"EAAB"), _START + rb"EAA[A-Z][A-Za-z0-9]{80,300}"),
    ("telegram-token", (b":AA",), _START + rb"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}" + _END),
    ("discord-token", (b".G", b".X", b".Y", b".Z"), _START + rb"[MNO][A-Za-z0-9_-]{23,27}\.[GXYZ][A-Za-z0-9_-]{5}\.[A-Za-z0-9_-]{27,45}"),
    ("notion-token", (b"ntn_", b"secret_"), _START + rb"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})" + _END),
    ("sourcegraph-token", (b"sgp_",), _START + rb"sgp_(?:(?:local|[A-Fa-f0-9]{16})_)?[A-Fa-f0-9]{40}" + _END),
    ("service-token", (b"lin_api_", b"lin_oauth_", b"dapi", b"NRAK-", b"sntrys_", b"sntryu_", b"PMAK-", b"pul-", b"figd_", b"CFPAT-", b"tskey-", b"HRKU-", b"fo1_", b"ops_eyJ", b"glc_", b"glsa_", b"CLOJARS_", b"AGE-SECRET-KEY-1", b"s-s4t2"),
     _START + rb"(?:lin_(?:api|oauth)_[A-Za-z0-9]{32,64}|dapi[0-9a-f]{32}(?:-[0-9])?|NRAK-[A-Z0-9]{27}|sntry[a-z]{1,2}_[A-Za-z0-9_=+/-]{40,300}"
     rb"|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|pul-[0-9a-f]{40}|figd_[A-Za-z0-9_-]{30,60}|CFPAT-[A-Za-z0-9_-]{40,60}|tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,80}"
     rb"|HRKU-[A-Za-z0-9_-]{30,80}|fo1_[A-Za-z0-9_-]{40,50}|ops_eyJ[A-Za-z0-9+/=_-]{100,2000}|glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"
     rb"|CLOJARS_[A-Za-z0-9]{60}|AGE-SECRET-KEY-1[A-Z0-9]{50,60}|s-s4t2(?:ud|af)-[0-9a-f]{64})"),
    ("vault-token", (b"hvs.", b"hvb.", b"hvr.", b".atlasv1."),
     _START + rb"(?:hv[sbr]\.[A-Za-z0-9_-]{24,300}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})"),
    ("doppler-token", (b"dp.",), _START + rb"dp\.[a-z]{2,8}\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ("atlassian-token", (b"ATATT3", b"ATCTT3"), rb"AT[AC]TT3[A-Za-z0-9_=-]{60,300}"),
    ("artifactory-key", (b"AKCp",), _START + rb"AKCp[A-Za-z0-9]{60,80}" + _END),
    ("cloud-key-id", (b"LTAI", b"AKID"), _START + rb"(?:LTAI[A-Za-z0-9]{17,24}|AKID[A-Za-z0-9]{28,40})" + _END),
    ("signed-url", (b"sig=", b"X-Amz-Signature=", b"X-Amz-Security-Token=", b"X-Goog-Signature="),
     rb"(?<=[?&;])[A-Za-z-]{3,20}=([A-Za-z0-9%+/=_-]{20,2000})"),
)  # fmt: skip

BACK: dict[bytes, int] = {
    b"password ": 8, b"Q~": 4, b"-us": 32, b".atlasv1.": 14, b":AA": 10, b".G": 28, b".X": 28, b".Y": 28, b".Z": 28,
}  # fmt: skip
"""Bytes before an anchor at which a match may begin; matches of other anchors begin with them."""

KEY_BLOCK = (
    "private-key",
    (b"-----BEGIN",),
    rb"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:(?>(?:[^-]|-(?!----)){0,65536})-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rb"|(?:(?:\\[rn]|[\s\"'+,])*+[A-Za-z0-9+/=]{16,200}+){0,300})",
)
"""With its end: everything between. Without one (cut off): the lines that look like key material."""

_KEYWORD = (
    rb"(?:pass(?:word|wd|phrase|code)|passw|pwd|secrets?|tokens?|api[_.-]?keys?|access[_.-]?keys?|account[_.-]?key"
    rb"|private[_.-]?key|signing[_.-]?key|encryption[_.-]?key|master[_.-]?key|shared[_.-]?key|auth[_.-]?(?:key|token)"
    rb"|service[_.-]?key|storage[_.-]?key|sharedaccesskey|client[_.-]?secret|credentials?|apikey|app[_.-]?key|x-auth)"
)
_ASSIGN = rb"[\"'`]?[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}"

GUESSED: tuple[tuple[str, tuple[bytes, ...], bytes], ...] = (
    ("url-password", (b"://",), rb"://[^\s/@:\"'<>?#]{0,128}:([^\s/@\"'<>]{1,256})@"),
    ("authorization", (b"authorization",),
     rb"(?i:authorization)[\"'`]?[ \t]{0,8}[=:][ \t]{0,8}[\"'`]?(?:(?i:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,4})?([^\s\"'`,;&]{8,4096})"),
    ("authorization", (b"bearer", b"basic"), rb"(?<![A-Za-z0-9])(?i:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,4096})"),
    ("openai-key", (b"sk-",), _START + rb"sk-[A-Za-z0-9_-]{20,300}"),
    ("command-password", (b"curl", b"wget"),
     rb"[A-Za-z]{4}[^\n]{0,200}?[ \t](?:-u|--user)[ =]?[\"']?[^\s:\"']{0,64}:([^\s\"']{3,200})"),
    ("command-password", (b"curl",), rb"[A-Za-z]{4}[^\n]{0,200}?[ \t](?:-u|--user)[ =]?[\"']([^\s:\"']{8,64}):[\"']"),
    ("netrc-password", (b"machine ", b"machine\t", b"default login", b"default password", b"default\tlogin"),
     rb"(?i:machine[ \t]{1,8}[^\s]{1,200}|default)(?:[ \t]{1,8}(?i:login|account)[ \t]{1,8}[^\s]{1,128}){0,2}[ \t]{1,8}(?i:password)[ \t]{1,8}"
     rb"(?:\"([^\"\n]{3,256})\"|([^\s\"]{3,256}))"),
    ("netrc-password", (b"login ",),
     rb"(?i:login)[ \t]{1,8}[^\s]{1,128}[ \t]{1,8}(?i:password)[ \t]{1,8}(?:\"([^\"\n]{3,256})\"|([^\s\"]{3,256}))"),
    ("netrc-line", (b"password ",),
     rb"(?:(?<=\n)|(?<![\s\S]))[ \t]{0,8}(?i:password)[ \t]{1,8}(?:\"([^\"\n]{6,256})\"|([^\s\"]{6,256}))"),
    ("cookie", (b"cookie",), rb"(?i:cookie)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[A-Za-z0-9_.-]{1,64}=([^\s\"';,]{16,2048})"),
    ("secret-value", (b"pass", b"pwd", b"secret", b"token", b"api", b"access", b"account", b"private", b"signing", b"encryption", b"master", b"shared", b"auth", b"service", b"storage", b"client", b"credential", b"app", b"x-auth"),
     rb"(?i:" + _KEYWORD + rb")(?:[_.-]?[A-Za-z0-9_-]{0,24}?)" + _ASSIGN +
     rb"(?:\"([^\"\n]{6,512})\"|'([^'\n]{6,512})'|([^\s\"'`,;&]{6,512}))"),
)  # fmt: skip

PASSED = "passed-value"
KINDS: tuple[str, ...] = tuple(
    dict.fromkeys([PASSED, KEY_BLOCK[0], *(row[0] for row in (*ISSUED, *GUESSED))])
)
