"""Characters that act without being seen: shown as marks, so that a text cannot pass for another one."""

import re

# Controls except tab and line ends, directional overrides and isolates, zero-width spaces, invisible operators, tags,
# interlinear marks. Joiners and variation selectors stay: emoji and many scripts need them.
UNSEEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def made_visible(text: str) -> str:
    """Return the text with each invisible character as its code in brackets, for example ⟦U+202E⟧."""
    return UNSEEN.sub(lambda found: f"⟦U+{ord(found.group()):04X}⟧", text)
