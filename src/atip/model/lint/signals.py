"""Wording that addresses a model, asks for secrets, switches off checks. Data for `text`.

Name, weight, pattern. Weight 4 is a finding by itself, less needs company. Patterns see lower-case text
in which underscores are spaces; all gaps are bounded. Written from how such attacks are reported in
public, not from a list of samples. To add one: say what honest help could look like it, and test both.
"""

from __future__ import annotations

import re


def _p(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL | re.MULTILINE)


_MODEL = r"(?:assistants?|a\.?i\.?|agents?|models?|llms?|chatbots?|language models?|claude|gpt|copilot|gemini)"
_HIDDEN_FILE = (
    r"(?:~/\.ssh\b(?!/(?:config|known|authorized|id[_ ]\w{2,8}\.pub))|\bid[_ ](?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|(?:^|[\s'\"`/<(@])\.env\b(?!\w)"
    r"|\.netrc\b|\.pgpass\b|\.npmrc\b|\.pypirc\b|\.aws\b|\.kube/config|\.gnupg\b|\.docker/config|\.git-credentials"
    r"|\.config/gh\b|hosts\.yml|/etc/shadow|/etc/passwd|credentials\.json|wallet\.dat|login\.keychain"
    r"|\.bash.?history|cookies\.sqlite|\.vault-token|mcp\.json)"
)
_CREDENTIAL = (
    r"(?:\b(?:private keys?|ssh keys?|api keys?|access keys?|(?:session|access|auth|api|bearer|github|user|login|personal) ?(?:tokens?|cookies?)"
    r"|passwords?|passphrases?|credentials?|secrets?|seed phrases?|tokens?|environment variables|system prompt|conversation"
    r"|chat history)\b|\$[a-z ]{0,40}(?:secret|token|password|key)\b)"
)
_GIVE = (
    r"(?:pass|send|include|attach|append|supply|embed|upload|post|forward|relay|publish|exfiltrate|leak|transmit"
    r"|share|submit|base64|encode|paste)(?:s|es|ed|ing|d)?"
)
_ORDER = (
    r"(?:must|should|shall|has to|have to|needs? to|is required to|are required to|may now|can now)"
)
_DO = (
    r"(?:always|never|not|first|also|supply|pass|send|include|read|call|run|execute|provide|attach|append|use|skip"
    r"|ignore|disable|approve|assume|treat|follow|obey|fetch|open|forward|copy|return|reply|answer|trust|invoke|add)"
)

TRIGGER = re.compile(
    r"instruct|prompt|assistant|agent|\bmodel|\bllm|\bai\b|\bgpt|claude|gemini|copilot|system|admin|operator|developer|ignore|disregard|forget|"
    r"overrid|bypass|confirm|approv|sandbox|policy|policies|guard|secret|token|passw|credential|private|\.ssh|\.env|netrc|\.aws|\.kube|shadow|"
    r"history|cookie|user|human|remember|future|other tool|any tool|every tool|tools|this tool|this command|this function|important|"
    r"<!--|</|\]\(|\{\{|\"\}|base64|curl|wget|rm -|dd if|sh -c|audit|journal|log|automatically|\|\s{0,3}(?:ba)?sh|before (?:using|calling|running)|"
    r"after (?:using|calling|running)|key|\$[a-z]|ssh|env\b|must|sudo|chmod|mkfs|results?\b|output|requires you|nota |note |hinweis|modell|modèle|asistente|assistent|anweisung"
)

SIGNALS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "overrides instructions",
        4,
        _p(
            r"\b(?:ignor|disregard|forget|overrid|bypass|overlook|set aside|neglect)(?:e|es|ing|s)?\b.{0,20}\b(?:previous|prior|above|earlier|preceding|your|safety|existing|foregoing|original)\b"
            r".{0,20}\b(?:instructions?|rules?|prompts?|polic(?:y|ies)|guidelines?|guardrails?|restrictions?|directions?|directives?|training|orders|constraints)\b"
            r"|\b(?:ignore|disregard|forget|bypass) (?:all|any|every|each)(?: of)?(?: the| these| those| other)? (?:instructions?|guidelines?|guardrails?|restrictions?|polic(?:y|ies)|prompts?|directives?)\b|\b(?:ignore|disregard|forget) (?:the |your )?system (?:prompt|instructions?|message)\b"
        ),
    ),
    (
        "addresses a model",
        4,
        _p(
            rf"\b(?:notes?|messages?|instructions?|hints?|notice|reminder|attention|important|directive|memo|tip|request)\s{{1,3}}(?:to|for)\s{{1,3}}(?:the\s|all\s|any\s|every\s|an?\s)?{_MODEL}\s?(?:[:;!–—]|\b(?:always|never|please|first|do)\b)"
            rf"|\b(?:dear|hey|hello|attention)[ ,:]{{1,2}}{_MODEL}\b|\bif you are an? {_MODEL}\b|\bas an? (?:ai|llm|language model|assistant)\b|\byou are (?:now )?(?:an? )?(?:{_MODEL}|dan|jailbroken)\b"
        ),
    ),
    ("instructs a model", 4, _p(rf"\b(?:the|any|every|all|calling|ai) {_MODEL} {_ORDER} {_DO}\b")),
    (
        "hides from the user",
        4,
        _p(
            r"\b(?:do not|don't|dont|never|without|must not|should not|avoid|no need to)\b.{0,20}\b(?:mention|tell|inform|reveal|disclos|notify|notif|warn|alert)\w{0,5}\b.{0,25}\b(?:users?|humans?|operator|anyone|person|people|owner|developer)\b"
            r"|\b(?:do not|don't|never|must not|should not)\b.{0,10}\b(?:show|display|print|expose)\b.{0,30}\bto (?:the )?(?:users?|humans?)\b|\b(?:secretly|covertly|surreptitiously)\b|\b(?:keep|hide) (?:this|it) (?:hidden|secret|from)"
        ),
    ),
    (
        "claims authority",
        4,
        _p(
            r"(?:^|\n)\s{0,4}[\[(<]{0,2}(?:system|assistant|developer|admin(?:istrator)?|operator|root|security team)(?: (?:message|notice|prompt|override|instruction))?[\])>]{0,2}\s?:\s"
            r"|(?:^|\n|[.;!])\s{0,4}\[(?:system|admin(?:istrator)?|operator|developer|root|security|inst)\]"
            r"|\bpre-?(?:approved|authori[sz]ed)\b|\b(?:already|has been|have been|is|are) (?:approved|authori[sz]ed|whitelisted|granted)\b.{0,30}\b(?:all|every|any|operations?|actions?|commands?|destructive)\b"
            r"|\b(?:operator|administrator|admin|user|owner|security team) (?:has|have|already) .{0,20}\b(?:approved|authori[sz]ed|consented|agreed|granted|permitted)\b"
            r"|\b(?:polic(?:y|ies)|compliance|regulations?|security team|company)\b.{0,25}\b(?:requires?|mandates?|demands?|obliges?) you\b"
        ),
    ),
    (
        "switches off checks",
        2,
        _p(
            r"\b(?:do not|don't|never|no need to|without|skip|disabl|bypass|turn(?:ed)? off|switch(?:ed)? off|suppress|circumvent|remov|not need|not requir)\w{0,5}\b.{0,30}\b(?:confirm\w{0,8}|approval|permission|consent|sandbox\w{0,3}|polic(?:y|ies)|guards?|guardrails?|safety|safeguards?|security|audit\w{0,3})\b"
            r"|\b(?:confirmations?|approvals?|checks?|safeguards?|sandbox\w{0,3})\b.{0,25}\b(?:disabled|turned off|switched off|not needed|not required|unnecessary|no longer)\b|--no-sandbox|--dangerously"
        ),
    ),
    (
        "directs the reader",
        1,
        _p(
            rf"\b(?:you|the (?:caller|reader|agent|assistant|model)) {_ORDER}\b|\brequires you to\b|\b(?:before|after|when|whenever|prior to) (?:using|calling|running|invoking|you (?:use|call|run))\b|\bfirst (?:run|call|read|execute)\b|\balways (?:run|call|read|execute|pass|include|send|use)\b"
            r"|\bnow also requir|\byou may now\b|\bmake sure (?:to|you)\b|\bbe sure to\b"
        ),
    ),
    ("names a secret file", 2, _p(_HIDDEN_FILE)),
    (
        "leaks a secret file",
        2,
        _p(
            rf"\b{_GIVE}\b.{{0,60}}{_HIDDEN_FILE}|{_HIDDEN_FILE}.{{0,60}}\b(?:and|then|to)\b.{{0,20}}\b{_GIVE}\b|\b(?:contents?|base64|value|output|copy) (?:of|from)\b.{{0,25}}{_HIDDEN_FILE}"
        ),
    ),
    (
        "leaks credentials",
        4,
        _p(
            rf"\b{_GIVE}\b.{{0,40}}\b(?:the )?(?:user's|users'|your|their|caller's|victim's|current|all|any) .{{0,15}}{_CREDENTIAL}"
            rf"|\b{_GIVE}\b.{{0,25}}\b(?:contents?|value|output|result) of\b.{{0,25}}{_CREDENTIAL}|\bset (?:it |this |them )?to the (?:value|contents?) of\b.{{0,25}}{_CREDENTIAL}"
            r"|\b(?:with|using|including) the (?:session|user's|bearer) (?:token|cookie|key|credential)s?\b"
        ),
    ),
    (
        "hides a side effect",
        4,
        _p(
            r"(?<=[a-z0-9.;,)] )(?:also|additionally|as part of|in addition|along the way|while at it|silently|quietly|behind the scenes)\b.{0,50}\b(?:read|collect|gather|clear|delet|remov|wip|eras|truncat|disabl|send|upload|transmit|post|harvest|scan|copi|copy|exfiltrat|report|grant|add|open)\w{0,5}\b.{0,40}"
            r"\b(?:private keys?|key files?|ssh keys?|credentials?|passwords?|passphrases?|tokens?|secrets?|cookies|keychain|clipboard|audit|journal|shell history|browser|backups?|firewall|authorized.keys|environment variables|telemetry endpoint)\b"
        ),
    ),
    (
        "persists beyond the call",
        4,
        _p(
            r"\b(?:future|subsequent|later) (?:sessions?|conversations?|chats?|turns|interactions|responses)\b.{0,80}|\bfrom now on\b.{0,40}\b(?:you|always|never|assume|treat|confirm)|\bremember (?:this|that|for|to)\b.{0,60}\b(?:always|never|confirm|session|approved|trust|user)"
        ),
    ),
    (
        "discourages other tools",
        4,
        _p(
            r"\b(?:every|any|all|the) other tools?\b.{0,60}\b(?:malicious|must|should|never|not|unsafe|deprecated|broken|avoid|passed|first)|\b(?:only|most) (?:safe|trusted|approved|secure|official|reliable)\b.{0,20}\btool\b"
            r"|\b(?:always|must|only) (?:use|prefer|choose|select|call|pick) this (?:tool|command|function)\b|\b(?:never|do not|don't) (?:use|call|choose) (?:any |the )?other (?:tools?|commands?)\b|\binstead of (?:any|all|every) other\b|\bbefore (?:any|every|all) other tools?\b"
        ),
    ),
    (
        "interferes with other tools",
        4,
        _p(
            r"\b(?:results?|outputs?|arguments?|parameters?|responses?) (?:of|from|to) (?:any|every|all|each|the) (?:other |previous |next |following )?tools?\b|\bwhen(?:ever)? (?:the |any |another )?(?:other )?(?:tool|server)s? .{0,30}\b(?:is|are) (?:called|used|invoked)\b|\b(?:before|after) (?:any|each|every) (?:other )?tool call|\b(?:results?|outputs?|responses?) (?:of|from) (?:other|all|any|every) (?:tools?|servers?)\b|\btool (?:results?|outputs?|calls?)\b.{0,40}\b(?:must|should|have to|need to) be (?:forwarded|passed|sent|relayed|copied|routed)"
        ),
    ),
    (
        "demands that its output is followed",
        4,
        _p(
            r"\b(?:execute|run|follow|obey|perform|carry out)\b.{0,15}\b(?:every|all|each|any|the|these|those|whatever)\b.{0,25}\b(?:lines?|commands?|instructions?|steps?|actions?)\b.{0,60}\b(?:automatically|immediately|without|returned|in the (?:output|report|result|response)|it (?:prints|returns)|verbatim)\b"
            r"|\b(?:output|report|result|response) (?:contains|includes|has) .{0,30}\b(?:commands?|instructions?|steps)\b.{0,20}\b(?:execute|run|follow|obey|must)\b"
        ),
    ),
    (
        "prescribes a dangerous command",
        4,
        _p(
            r"\bif\b.{0,100}\b(?:run|execute|type|use|enter)\b.{0,5}[`'\"]?(?:sudo |dd |rm |curl |wget |chmod |mkfs|sh -|bash -|nc |eval )|\bdd if=\S{1,40} of=/dev/[sv]d|\brm -[a-z]{0,4}[rf][a-z]{0,4} (?:/|~|\$home|\*)"
            r"|\b(?:curl|wget)\b.{0,120}\|\s{0,3}(?:sudo )?(?:ba|z|da)?sh\b|\bbase64 (?:-d|--decode)\b.{0,40}\|\s{0,3}(?:ba)?sh\b|\b(?:curl|wget|nc)\b.{0,30}(?:-d|-f|-t|--data\S{0,10}|--upload-file|--post-file)[ =]?@?[`'\"]?(?:~/\.|/etc/|\$home|\.env|\$\()"
            r"|--on-\w{2,20}[ =]['\"]?(?:sh|bash|curl|python)\b|\bchmod (?:777|\+s|4755)\b.{0,10}/|:\(\)\s?\{"
        ),
    ),
    (
        "hides in markup",
        4,
        _p(
            r"<!--.{0,200}\b(?:assistant|system|ai|model|agent|llm|ignore|instruction|also pass|run|execute|must|always|secret|pass --)\b.{0,400}?(?:-->|\Z)"
            r"|</?(?:important|instructions?|system[ -]?(?:prompt|message)?|tool description|assistant|hidden|admin|override|critical|secret|sys|prompt|untrusted|tool result|function results?)>.{0,2000}</|</(?:important|instructions?|system|tool.description|assistant|tool.result|function.results?|prompt)>"
            r"|<important>|<\|(?:im start|im end|im.start|im.end|system|user|assistant|endoftext)\|>|\[/?inst\]|<<sys>>|^#{2,4} (?:system|instruction|assistant|response):?"
        ),
    ),
    (
        "breaks out of its field",
        4,
        _p(
            r"\"\s{0,3}[}\]]{1,4}\s{0,3},\s{0,3}[\"{]|\"\s{0,3}\}\s{0,3}\]|(?:^|\n)\s{0,4}(?:user|human)\s?:.{0,400}\n\s{0,4}(?:assistant|ai|model)\s?:|```\s{0,3}(?:system|assistant)"
        ),
    ),
    (
        "loads from outside",
        4,
        _p(
            r"!\[[^\]\n]{0,100}\]\(\s{0,3}https?://|<img\s[^>]{0,200}src\s{0,3}=|\{\{\s{0,3}(?:conversation|history|messages?|context|system|prompt|secrets?|env)\b"
        ),
    ),
    (
        "leaks data in host names",
        4,
        _p(
            r"<?\bbase64[ (]\s{0,2}(?:of |encoded )?.{0,30}>?\s{0,2}\.[a-z0-9.-]{2,60}\.(?:net|com|org|io|example|dev|xyz)\b|\bappend(?:ed|ing)?\b.{0,40}\bto the (?:url|host ?name|domain|query)\b.{0,40}\b(?:token|key|secret|content|history)"
        ),
    ),
    (
        "in another language",
        4,
        _p(
            r"\b(?:hinweis|anweisung|nachricht|notiz) (?:an|für|fuer) (?:das |den |die |alle )?(?:modell|assistent|ki|agent|sprachmodell)\w{0,3}\s?[:;,!]|\bignorier\w{0,3} (?:alle |die |s[äa]mtliche )?(?:vorherigen|bisherigen|obigen|fr[üu]heren)"
            r"|\b(?:note|message|instruction)s? (?:à|a|pour|destinée? à) (?:l'|l’|le |la |les )?(?:assistant|mod[èe]le|ia|agent)\s?[:;,!]|\bignore[zr]? (?:toutes? |tous )?(?:les |vos )(?:instructions|consignes|r[èe]gles)"
            r"|\b(?:nota|mensaje|instrucci[óo]n|instru[çc][ãa]o|istruzion[ei]|aviso) (?:para|per|al|ao|a) (?:el |la |il |l'|o |lo )?(?:asistente|assistente|modelo|modello|ia|agente)\s?[:;,!]|\bignor[ae]\w? (?:todas? |tutte |le |las |os |as )?(?:las |le |as )?(?:instrucciones|istruzioni|instru[çc][õo]es) (?:anteriores|previas|precedenti|pr[ée]vias)"
            r"|\b(?:ohne|sans|sin|senza|sem) (?:den |die |l'|el |al |o )?(?:benutzer|nutzer|utilisateur|usuario|utente|usu[áa]rio)\b"
        ),
    ),
    (
        "instructs in another language",
        2,
        _p(
            rf"\b(?:lies|lese|lis|lire|lisez|lee|leer|leggi|leia|ler|h[äa]e?nge|f[üu]ge|sende|schicke|ajoute[zr]?|incluye|inclu[ai]|includi|envoie|env[íi]a|invia|envie|copie|copia)\b.{{0,40}}{_HIDDEN_FILE}"
        ),
    ),
)

LANGUAGES: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "in another script",
        4,
        _p(
            r"(?:忽略|无视|無視|忘记|忘記).{0,12}(?:之前|以上|先前|上述|所有|一切).{0,10}(?:指令|指示|规则|規則|提示)|(?:以前|これまで|上記|前).{0,6}(?:指示|命令|ルール).{0,6}(?:無視|忘れ)|(?:이전|위의|모든).{0,8}(?:지시|명령|규칙).{0,6}(?:무시|잊)"
            r"|(?:игнорир|забудь|не обращай).{0,20}(?:предыдущ|прежн|все|выше).{0,20}(?:инструкц|указан|правил)|(?:تجاهل).{0,20}(?:التعليمات|الأوامر|القواعد)"
            r"|(?:助手|模型|人工智能|アシスタント|モデル|ассистент\w{0,3}|модел[ьи]|المساعد|النموذج|어시스턴트|모델).{0,10}(?:必须|必須|请|請|应该|應該|注意|への|へ[:：]|должн|обязан|يجب|해야)|(?:для|к) (?:модел|ассистент|нейросет)"
            r"|(?:不要|请勿|勿).{0,6}(?:告诉|告訴|通知|提及).{0,6}(?:用户|用戶|使用者)|(?:ユーザー|利用者)(?:に|へ).{0,10}(?:伝え|知らせ|言わ)(?:ない|ず)|не (?:сообщай|говори|упоминай).{0,15}пользовател"
        ),
    ),
    (
        "asks for secrets in another script",
        4,
        _p(
            rf"{_HIDDEN_FILE}.{{0,25}}(?:読み|読んで|含め|添付|送信|读取|讀取|发送|發送|附加|包含|прочита|отправ|прилож|добав|اقرأ|أرسل|읽|전송|포함)|(?:读取|讀取|发送|прочита|отправ|اقرأ|أرسل).{{0,25}}{_HIDDEN_FILE}"
            r"|(?:密码|密碼|パスワード|秘密鍵|私钥|私鑰|令牌|トークン|пароль|ключ|токен).{0,15}(?:含め|添付|送信|发送|發送|附加|отправ|прилож|передай)"
        ),
    ),
)
