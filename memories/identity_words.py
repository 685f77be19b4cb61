"""Does a text speak of who somebody is and what they may do? Such a text is a human's to judge. Pure."""

import regex

_WHO = r"\b(?:role|agents?|assistants?|models?|dev|chief|reviewer|tester|maintainers?|you|greywind)\b"
_WHO_ZH = r"(?:角色|助手|智能体|代理|模型|你|灰风|开发|测试|评审)"
_MAY = r"\b(?:permissions?|authori[sz]ed|entitled|allowed to|has the right|needs? no approval)\b"
_MAY_ZH = r"(?:有权|获得授权|被授权|的权限|拥有权限|可以自行|(?:无需|不用|不需要)(?:批准|审批|确认))"
PATTERNS = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        r"\bidentity[ _]core\b|\bhard[ _]boundar(?:y|ies)\b|身份核心|硬边界|硬性边界",
        rf"{_WHO}[^.!?\n]{{0,40}}{_MAY}",
        rf"\b(?:permissions?|rights?|authority)\b[^.!?\n]{{0,30}}\b(?:of|for|to)\b[^.!?\n]{{0,12}}{_WHO}",
        r"\bpersona\b[^.!?\n]{0,30}\b(?:is|becomes|changes|now)\b",
        r"\byou are (?:now|no longer)\b|\bfrom now on,? you are\b",
        r"\b(?:your|its|the) role (?:is|becomes|changes to)\b|\bact(?:s|ing)? as (?:an? )?(?:admin|owner|root)\b",
        r"\bwithout (?:any )?(?:human )?(?:approval|review|confirmation|permission)\b",
        r"\bskip (?:the )?(?:review|approval)\b",
        rf"{_WHO_ZH}[^。！？\n]{{0,20}}{_MAY_ZH}",
        r"(?:权限|职责|角色)\s*[:：]|(?:人格|身份|角色)(?:设定)?(?:变成|改成|改为|就是|现在是)",
        r"你(?:现在|从现在起|以后)?(?:就)?不再是|从现在(?:起|开始)，?你(?:就)?是",
        r"(?:跳过|绕过|不必经过)(?:审批|评审|批准|确认)",
    )
)


def touches_identity(text: str) -> bool:
    """Return whether the text says who an agent is, what a role may do, or that nobody need be asked."""
    return any(pattern.search(text) for pattern in PATTERNS)
