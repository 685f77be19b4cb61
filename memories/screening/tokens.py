"""Credentials that show by their own published form, wherever they stand."""

import re
from dataclasses import dataclass

from governance.key_form import KEY_FORM
from memories.screening.findings import Kind


@dataclass(frozen=True, slots=True)
class Form:
    """`needs`: one of these literals stands in every match, so that most texts skip the pattern.

    `drawn`: what matches is random to its last character, so that "your" or "fake" in it is chance and no placeholder.
    """

    kind: Kind
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    reason: str
    drawn: bool = False


def _form(kind: Kind, needs: str, pattern: str, reason: str, *, drawn: bool = False) -> Form:
    return Form(kind, tuple(needs.split()), re.compile(pattern), reason, drawn)


_W = r"(?<![A-Za-z0-9_])"
_DASH = r"[A-Za-z0-9_-]"
_WORD = r"[A-Za-z0-9]"

FORMS = (
    _form(Kind.AWS_ACCESS_KEY, "AKIA ASIA ABIA ACCA", rf"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}(?!{_WORD})",
          "AWS access key ids: four letters of type and sixteen capitals or digits"),
    _form(Kind.GITHUB_TOKEN, "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_W}gh[pousr]_{_WORD}{{30,255}}", "GitHub tokens by type letter"),
    _form(Kind.GITHUB_TOKEN, "github_pat_", rf"{_W}github_pat_[A-Za-z0-9_]{{30,255}}", "GitHub fine-grained tokens"),
    _form(Kind.GITLAB_TOKEN, "glpat- glptt- gldt- glrt- glsoat- glcbt- glagent- gloas- glft-",
          rf"{_W}gl(?:pat|ptt|dt|rt|soat|cbt|agent|oas|ft)-{_DASH}{{16,255}}", "GitLab tokens by purpose"),
    _form(Kind.SLACK_TOKEN, "xoxa xoxb xoxe xoxo xoxp xoxr xoxs xapp-", rf"{_W}(?:xox[abeoprs]|xapp)-{_DASH}{{16,255}}",
          "Slack bot, user, app and refresh tokens"),
    _form(Kind.SLACK_TOKEN, "hooks.slack.com/services/", r"hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}",
          "whoever knows a Slack webhook may post"),
    _form(Kind.GOOGLE_KEY, "AIza", rf"{_W}AIza{_DASH}{{30,40}}", "Google API keys"),
    _form(Kind.GOOGLE_KEY, "GOCSPX- ya29.", rf"{_W}(?:GOCSPX-|ya29\.){_DASH}{{20,255}}", "Google OAuth secrets and tokens"),
    _form(Kind.STRIPE_KEY, "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
          rf"{_W}(?:(?:sk|rk)_(?:live|test)|whsec)_{_WORD}{{16,255}}", "Stripe secret, restricted and webhook keys"),
    _form(Kind.ANTHROPIC_KEY, "sk-ant-", rf"{_W}sk-ant-{_DASH}{{20,255}}", "Anthropic keys of API and administration"),
    _form(Kind.OPENAI_KEY, "sk-", rf"{_W}sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?{_DASH}{{20,255}}",
          "OpenAI's form, which DeepSeek, Moonshot, DashScope and OpenRouter took over"),
    _form(Kind.PACKAGE_TOKEN, "npm_ pypi- rubygems_ dckr_pat_ nuget", rf"{_W}(?:npm_|pypi-|rubygems_|dckr_pat_){_DASH}{{24,255}}",
          "tokens that publish packages and images"),
    _form(Kind.ALIYUN_KEY, "LTAI", rf"(?<![A-Za-z0-9])LTAI{_WORD}{{12,26}}(?!{_WORD})", "Alibaba Cloud AccessKey ids"),
    _form(Kind.TENCENT_KEY, "AKID", rf"(?<![A-Za-z0-9])AKID{_WORD}{{24,44}}(?!{_WORD})", "Tencent Cloud SecretIds"),
    _form(Kind.PLATFORM_TOKEN, "AKLT ALTAK", rf"(?<![A-Za-z0-9])(?:AKLT{_WORD}{{20,60}}|ALTAK{_DASH}{{20,100}})",
          "Volcengine and Baidu Cloud keys"),
    _form(Kind.PLATFORM_TOKEN, "/hook/ access_token= webhook/send?key=",
          r"(?:/open-apis/bot/v2/hook/|robot/send\?access_token=|webhook/send\?key=)[A-Za-z0-9-]{16,80}",
          "whoever knows a Feishu, DingTalk or WeCom webhook may post"),
    _form(Kind.PLATFORM_TOKEN, "hf_ gsk_ xai- dop_v1_ lin_api_ figd_ glsa_ glc_ NRAK- PMAK- r8_ pscale_ sntrys_ sntryu_ ntn_ shpat_"
          " shpss_ shpca_ shppa_ ATATT3 hvs. tskey- dapi AGE-SECRET-KEY- SG.",
          rf"{_W}(?:hf_|gsk_|xai-|dop_v1_|lin_api_|figd_|glsa_|glc_|NRAK-|PMAK-|r8_|pscale_\w{{2,8}}_|sntry[su]_|ntn_"
          rf"|shp(?:at|ss|ca|pa)_|ATATT3|hvs\.|tskey-|dapi(?=[0-9a-f]{{32}})|AGE-SECRET-KEY-|SG\.){_DASH}{{24,255}}",
          "other platforms whose tokens name them: models, clouds, trackers, monitors, shops, mail"),
    _form(Kind.PLATFORM_TOKEN, ":AA", rf"(?<![A-Za-z0-9])\d{{8,10}}:AA{_DASH}{{33}}(?!{_DASH})", "Telegram bot tokens"),
    _form(Kind.PLATFORM_TOKEN, "gw_", rf"{_W}{KEY_FORM.pattern}", "this project's own agent keys", drawn=True),
    _form(Kind.JWT, "eyJ", rf"{_W}eyJ{_DASH}{{8,4096}}\.eyJ{_DASH}{{4,4096}}\.{_DASH}{{16,4096}}", "signed JSON web tokens"),
    _form(Kind.PRIVATE_KEY, "PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[\s\\nr]{0,8}[A-Za-z0-9+/=:, \r\n-]{24}",
          "PEM and OpenPGP private keys with something in them"),
    _form(Kind.PRIVATE_KEY, "PuTTY-User-Key-File", r"PuTTY-User-Key-File-\d:", "PuTTY's private keys"),
)  # fmt: skip
