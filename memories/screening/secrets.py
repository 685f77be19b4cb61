"""Credentials: by published form, by the name they are given to, by the sentence they stand in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.screening.findings import Category, Finding, Kind
from memories.screening.shapes import Claim, counts_on, is_placeholder, looks_secret
from memories.screening.tokens import FORMS, Form


@dataclass(frozen=True, slots=True)
class Context:
    """A place where a credential may stand; group `value` is judged by its shape."""

    kind: Kind
    claim: Claim
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    reason: str


_VALUE = r"""["'`“”‘’「『（(]?(?P<value>[!-&*-~]{6,512}+)"""
_PASSWORDS_EN = r"pass(?:word|wd|phrase|code)|\bpwd\b|\bpin code\b"
_KEYS_EN = (
    r"secret|credentials?|api[ _-]?keys?|auth[ _-]?key|access[ _-]?key(?:[ _-]?(?:id|secret))?|private[ _-]?key|secret[ _-]?key|signing[ _-]?key"
    r"|encryption[ _-]?key|license[ _-]?key|account[ _-]?key|client[ _-]?secret|\b(?:this|the|my|our|your|new|following|deploy|master|root|"
    r"prod(?:uction)?|staging|test) key|(?<!next)(?<!page)(?<!next[ _-])(?<!page[ _-])(?<!cancellation[ _-])(?<!continuation[ _-])(?<!max[ _-])(?:token|\bbearer)"
)
# What a program looks things up by, not what opens a door; the words before "_key".
_LOOKUPS = (
    "public publishable primary foreign unique composite natural sort partition shard routing row column order group index"
    " lookup hash cache idempotency dedupe object storage bucket blob file image s3 cursor page parent label field message"
    " translation i18n feature metric event topic hot shortcut modifier"
)
_NAMED = "(?<=[a-z0-9]_)" + "".join(rf"(?<!{word}_)" for word in _LOOKUPS.split())
_SAID = rf"(?:\s{{1,3}}[a-z][\w'-]{{0,20}}){{1,8}}\s{{0,2}}(?::|\bis\b|\bto\b|=)\s{{0,3}}{_VALUE}"
_PASSWORDS_ZH = "密码|口令|暗号|通行码|支付码"
_KEYS_ZH = "密钥|秘钥|令牌|凭证|凭据|私钥|授权码|访问码|激活码|签名串"
_JOIN = r"""["'`）)\]]{0,2}\s{0,4}(?:[（(][^()（）\n]{1,24}[)）]\s{0,2})?(?:[:=：＝]{1,2}=?>?|->|→|\bis\b|\bare\b|是|为|改成了?|换成了?|设成|叫|用的是)\s{0,4}"""


def _context(kind: Kind, claim: Claim, pattern: str, *, needs: str, reason: str) -> Context:
    return Context(kind, claim, tuple(needs.split()), re.compile(pattern, re.IGNORECASE), reason)


CONTEXTS = (
    _context(Kind.CREDENTIAL_URL, Claim.PASSWORD,
             r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s/@\"'<>]{3,200})@[A-Za-z0-9\[]", needs="://",
             reason="user and password inside an address"),
    _context(Kind.AUTHORIZATION_HEADER, Claim.PASSWORD,
             rf"authorization[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?(?:bearer|basic|token|apikey|digest)\s{{1,3}}{_VALUE}", needs="authorization",
             reason="what follows the scheme of an Authorization header opens a door"),
    _context(Kind.ASSIGNED_SECRET, Claim.PASSWORD, rf"(?:{_PASSWORDS_EN}|{_PASSWORDS_ZH})[A-Za-z0-9_]{{0,20}}{_JOIN}{_VALUE}",
             needs="pass pwd pin 密码 口令 暗号 码", reason="a password and its value"),
    _context(Kind.ASSIGNED_SECRET, Claim.KEY, rf"(?:{_KEYS_EN}|{_KEYS_ZH})(?:[_-][A-Za-z0-9_-]{{1,20}})?{_JOIN}{_VALUE}",
             needs="secret credential key token bearer 密钥 秘钥 令牌 凭 私钥 码 签名", reason="a key and its value"),
    _context(Kind.ASSIGNED_SECRET, Claim.PASSWORD, rf"(?-i:(?<=[A-Z0-9]_)(?:PASS|PWD)){_JOIN}{_VALUE}",
             needs="_pass _pwd", reason="DB_PASS=…: a variable of the environment whose name says what it holds"),
    _context(Kind.ASSIGNED_SECRET, Claim.KEY, rf"{_NAMED}(?-i:KEY){_JOIN}{_VALUE}",
             needs="_key", reason="GREYWIND_KEY=…: a variable of the environment whose name says what it holds"),
    _context(Kind.ASSIGNED_SECRET, Claim.VAGUE, rf"{_NAMED}key{_JOIN}{_VALUE}",
             needs="_key", reason="service_key: …, where many a key only looks something up"),
    _context(Kind.SPOKEN_SECRET, Claim.KEY,
             rf"(?:{_KEYS_EN}){_SAID}", needs="secret credential key token bearer", reason="the token for the staging server is …"),
    _context(Kind.SPOKEN_SECRET, Claim.PASSWORD,
             rf"(?:{_PASSWORDS_EN})(?!\s{{1,3}}(?:hash|polic|length|strength|manager|hint|rule|encod|algorithm|must|should)){_SAID}",
             needs="pass pwd pin", reason="the password of the router was changed to …"),
    _context(Kind.SPOKEN_SECRET, Claim.PASSWORD,
             rf"(?:{_PASSWORDS_ZH}|{_KEYS_ZH}|(?:{_PASSWORDS_EN}))[^\S\n]{{1,2}}{_VALUE}",
             needs="密码 口令 暗号 码 密钥 秘钥 令牌 凭 私钥 pass pwd pin", reason="账号 admin，密码 …: no sign between name and value"),
    _context(Kind.SPOKEN_SECRET, Claim.KEY,
             rf"(?:{_KEYS_ZH})[^\n。！？!-~]{{1,16}}\s{{0,2}}{_VALUE}",
             needs="码 密钥 秘钥 令牌 凭 私钥 签名", reason="密钥已经换成新的了 …"),
    _context(Kind.SPOKEN_SECRET, Claim.PASSWORD,
             rf"(?:{_PASSWORDS_ZH})[^\n。！？!-~]{{1,16}}\s{{0,2}}{_VALUE}",
             needs="密码 口令 暗号 码", reason="数据库口令已经改成 … 了"),
    _context(Kind.ASSIGNED_SECRET, Claim.PASSWORD, r"\b(?:mysql|mariadb|mysqldump|sshpass|mongosh?)\b[^\n]{0,60}?\s-p(?P<value>[!-~]{6,200})", needs="mysql mariadb sshpass mongo",
             reason="clients that take the password glued to -p"),
    _context(Kind.UNLABELLED_SECRET, Claim.KEY,
             rf"(?:把|用|拿)\s{{0,2}}{_VALUE}[\"'`”’」』]?\s{{0,2}}[^\n。]{{0,16}}(?:登录|登陆|登入|认证|鉴权|连上|验证)", needs="把 用 拿",
             reason="把 … 填到配置里就能登录了: the use says what it is"),
    _context(Kind.UNLABELLED_SECRET, Claim.KEY,
             rf"\b(?:log ?in|sign ?in|authenticate|ssh)\b[^\n.]{{0,40}}?\b(?:with|using|by|via|key:?)\s{{1,3}}{_VALUE}",
             needs="log sign authenticate ssh", reason="log in with …: the use says what it is"),
    _context(Kind.UNLABELLED_SECRET, Claim.KEY,
             rf"\b(?:use|enter|type|paste|put)\s{{1,3}}{_VALUE}[\"'`]?\s[^\n.]{{0,40}}?\b(?:to (?:log|sign|authenticate|connect)|as the (?:pass|key|tok|secret))",
             needs="to as", reason="paste … to log in: the use says what it is"),
    _context(Kind.UNLABELLED_SECRET, Claim.VAGUE,
             rf"(?:部署用的|登录用的|连接串|登录信息|deploy key|log ?in)[^\n]{{0,8}}[:：]\s{{0,3}}{_VALUE}",
             needs="部署 登录 连接 deploy log", reason="a heading that announces access"),
)  # fmt: skip

_TRAIL = ",;.:!?\"'`)]}>，。；：、”’」』）"
_DUMMY_PASSWORDS = frozenset(
    ["password", "passwd", "pass", "secret", "pwd", "postgres", "root", "admin", "user", "token", "test"]
)


def find_secrets(text: str) -> Iterator[Finding]:
    """Credentials in `text`; overlapping views of one value are all reported."""
    lowered = text.lower()
    for form in FORMS:
        if any(literal in text for literal in form.needs):
            for match in form.pattern.finditer(text):
                if not _stands_for_one(form, match.group()):
                    yield _finding(form.kind, match.span(), certain=True)
    for context in CONTEXTS:
        if any(literal in lowered for literal in context.needs):
            yield from _in_context(context, text)


def _stands_for_one(form: Form, text: str) -> bool:
    """Whether what has the form is written in the place of a credential."""
    if form.kind is Kind.PRIVATE_KEY:
        return False
    return counts_on(text) if form.drawn else is_placeholder(text)


def _in_context(context: Context, text: str) -> Iterator[Finding]:
    position = 0
    while match := context.pattern.search(text, position):
        # The next search starts behind the joint, not behind the value: `a=b=c` may hold the secret further on.
        position = max(match.start("value"), match.start() + 1)
        value = _bare(match.group("value"), context.kind)
        if context.kind is Kind.CREDENTIAL_URL:
            secret = value.lower() not in _DUMMY_PASSWORDS and not is_placeholder(value)
        else:
            secret = looks_secret(value, context.claim)
        if secret:
            start = match.start("value")
            yield _finding(context.kind, (start, start + len(value)), certain=context.claim is not Claim.VAGUE)


def _bare(value: str, kind: Kind) -> str:
    if kind is Kind.CREDENTIAL_URL:
        return value
    for quote in "\"'`":
        value = value.split(quote, 1)[0] if quote in value else value
    bare = value.rstrip(_TRAIL)
    return value.rstrip(_TRAIL.replace("!", "")) if any(map(str.isdigit, bare)) else bare


def _finding(kind: Kind, span: tuple[int, int], *, certain: bool) -> Finding:
    return Finding(category=Category.SECRET, kind=kind, start=span[0], end=span[1], certain=certain)
