"""What makes a sentence worth keeping, in Chinese and English: ways of speaking, never topics. Pure.

Each pattern is for folded text (compatible width, lower case, straight apostrophes).
"""

from enum import StrEnum

import regex

from threads import phrases


class Kind(StrEnum):
    """What a sentence does."""

    CONSTRAINT = "constraint"
    CORRECTION = "correction"
    DECISION = "decision"
    VALUE = "value"
    TASK = "task"
    REMEMBER = "remember"
    DISSENT = "dissent"
    BLOCKER = "blocker"
    OPEN = "open"
    PROPOSAL = "proposal"
    QUESTION = "question"
    NOTE = "note"
    ERRAND = "errand"
    CHATTER = "chatter"


def _any(english: str, chinese: str = "") -> regex.Pattern[str]:
    """Return a pattern of English alternatives between word boundaries and of Chinese ones."""
    parts = [rf"\b(?:{_one_line(english)})(?!\w)"] if english.strip() else []
    return regex.compile("|".join(parts + ([_one_line(chinese)] if chinese.strip() else [])))


def _one_line(pattern: str) -> str:
    return "|".join(line.strip() for line in pattern.strip().splitlines())


_UNSURE = r"(?:understand|know|think|see|get|care|mind|remember|recall|have|believe|feel|like|stream|even|really|seem)"
FORBIDS = _any(
    rf"""
    (?<=(?:^|[,;:(.!?—-] ?|please |and |but |or |so |then |to |must |should |just ))(?:do not|don't|dont|never) (?!{_UNSURE}\b)\w+
    (?:you|we|it|they|this|that) (?:must|should|may|can|shall|will) (?:not|never)
    (?:mustn't|shouldn't|shan't|may not|must not|should not|should never|must never|can never|cannot ever)
    i (?:do not|don't|dont) want|nobody (?:may|should|must)|nothing else|no more than|not allowed|forbidden|prohibited
    (?<=(?:^|[,;:(] ?))(?:avoid|refrain|stop \w+ing)|(?:without|instead of) (?:ever )?\w+ing|must stop|off limits
    (?<=(?:^|[,;] ?))no (?!need\b|idea\b|problem\b|worries\b|one\b|that\b|this\b|it\b|we\b|i\b|you\b|not\b|the\b|longer\b)\w+(?: \w+){{0,4}}[!.]?(?=$|[,;])
    (?:is|are) (?:not allowed|forbidden|taboo)|anything else is|never (?:ever )?\w+
    """,
    r"""
    (?<![要是能会可该想])(?:不要|不许|不准|不得|禁止|严禁|切勿|请勿|勿|绝不|决不|千万别|切忌|避免)
    (?:^|[，,；;：:（(“]|请|都|也|就|再|但|可|先|千万|一律|以后|先都)别(?!的|人|名|处|墅|致|针|样|说是)\p{Han}?
    不能(?!够)|不可以|不允许|不该|不应该?|别(?:用|动|改|碰|删|写|加|引入|直接|再|把|让|给|发|提交|合并|上线|自动|重复|私自|随便)
    """,
)
BINDS = _any(
    r"""
    (?:must|have to|has to|is required|are required|mandatory|always|strictly|at (?:most|least)|up to|no later than)
    (?<!there(?:'s| is| are|'re) )(?<!only )only(?= (?!one\b|two\b|a few\b|thing\b|problem\b|see\b|have\b|then\b|now\b))
    (?:make sure|ensure|be sure to|needs? to be (?:fully )?\w+|never|every(?: single)?|whenever|from now on|stick (?:to|with))
    (?:keep|preserve|retain|maintain)(?= (?:the|our|all|its|it|this|that|old|existing|public|every|a |an |my|both|using))
    leave (?:\w+ ){1,4}?(?:alone|untouched|as (?:is|it is|they are))|(?:should|must) (?:stay|remain|keep)(?! \w+ing)
    (?:if (?:not|yes|so)|otherwise|unless)|(?<=\w )first$|full(?:y)? (?:clean|compatible)
    """,
    r"""
    必须|务必|一定要|一律|统统|总是|永远|始终|每次(?:都|要)|凡是|只(?:能|许|准|要|用|有|做|改|看|读|在|给|支持|接受|保留|允许|对|收|发|跑|管|认|写|留|放)
    仅(?:限|用|在|支持|保留|允许|供)|不(?:超过|多于|少于|低于|高于|晚于|早于|大于|小于)|至(?:多|少)|最(?:多|少|长|短|大|小|晚|迟|高|低)(?!的时候)
    上限|下限|以内|之内|以上才|以下才|保留(?!意见)|留着|保持|不变|原样|兼容|都得|得先|先.{1,20}再|之前(?:先|要|必须|得)|才(?:能|可以|准|算|发|改|合|动|上)|除非|否则
    以后(?:都|要|一律|凡是)|今后|硬性|底线|红线
    """,
)
CORRECTS = _any(
    r"""
    no,|nope|not (?:that|this|what i|like that|quite|right)|that's (?:not|wrong)|(?:is|looks?|seems?) (?:wrong|not right)
    why (?:would|do|did|should) (?:we|you|i|they)|why not
    i (?:meant|said|did(?:n't| not) (?:say|mean|ask))|i would(?:'ve| have)? (?:assume|expect|think)|you(?:'re| are) (?:supposed|not supposed)
    (?:it|this|that|they|those|these|\w+) (?:should|shouldn't|ought to) (?:still |be |not |always |never )|should be|actually
    shouldn't (?:it|we|that|this|they)|isn't (?:it|that)|(?:is|are) actually|rather than|instead
    (?:can't|couldn't|shouldn't|wouldn't|don't|isn't|aren't) (?:we|it|that|this|they)|doesn't (?:look|seem) right|misnomer|wrong(?:ly)?|belongs? (?:to|in|into)
    """,
    r"""
    不对|不是(?:这样|这个|那个|让你|说)|错了|搞错|弄错|说错|我(?:是说|的意思是|说的是)|(?:应该|应当|该)(?:是|用|放|写|叫|在|属于|由|从|去)|其实是|实际上?是|而不是|不是.{1,24}(?:而)?是
    为什么(?:要|还|会|不|又)|怎么(?:还|又|会)|干嘛|更正|纠正|修正|改一下(?:说法|口径)
    """,
)
DECIDES = _any(
    r"""
    let's|lets|we(?:'ll| will| want| should|'re going to| are going to)|i(?:'d| would)? (?:actually )?(?:want|like|prefer|need)|prefer
    go(?:ing)? with|decided?|agreed?|settle[ds]?|use(?= (?!cases?\b))|using \w+ (?:for|as|instead)|switch(?:ed)? to|call it|name it|rename
    can(?:'t| not)? (?:we|you|i)|could (?:we|you)|how about|what about (?:using|making|moving)|would it make sense|we (?:only|just|always) \w+
    instead|from .{1,30} to |in favou?r of|the plan is|approach|defaults? (?:to|is)|set(?: it)? to|as the default|then (?:we|i) (?:can|will)
    adjust|needs? (?:to|explicit|its|their)|explicit(?:ly)?|should (?:also )?(?:be|have|return|use|go|come|live|show|contain|support|not|stop|match)
    """,
    r"""
    决定|定为|定成|定了|敲定|就(?:用|按|叫|这么|这样|选|走|放|写|定|改)|采用|选用|选定|选择|改(?:成|为|用|到)|换(?:成|为|用)|还是用|统一(?:用|成|为|叫|放)?|默认(?:用|为|是|值)?|设(?:成|为|置为?)|命名为?|叫做?
    我(?:想(?!的|不|起|到|象|过|法)|要(?!是)|希望|打算|更?喜欢|偏好|倾向)|我们(?:用|要|走|先)|方案|按.{1,20}(?:来|走|办|做|算|分|排)|用.{1,20}(?:来|做|代替|替代|实现)|放(?:在|到|进)|移(?:到|动|进)|存(?:在|到|成)|走.{1,8}(?:流程|通道|接口)
    能不能|可不可以|要不(?!要)|不如|最好|优先|分成|拆成|归(?:到|入)|以.{1,16}为准|由.{1,12}(?:负责|来|做|写|审|管|维护)
    """,
)
_MAKES = (
    "create|add|remove|delete|move|copy|write|rename|update|change|make|put|split|implement|fix|port|replace|extract|merge|"
    "convert|adjust|modify|build|design|refactor|untangle|document|migrate|support|handle|introduce|wrap|store|return|push|"
    "bump|release|ship|deploy|tackle|find|plan|propose|kill|revert|undo|restore|drop|switch|turn|show|hide|format|reduce|"
    "increase|deduplicate|insert|append|reprompt|queue|set"
)
WORK = _any(
    rf"""
    (?<=^)(?:{_MAKES})
    (?<=(?:and|then|,|;|:) )(?:{_MAKES})
    provide me|needs? (?:to|a|an|explicit)|also need|still need to
    """,
    r"""
    (?:^|[，,；;]|再|先|把|请|然后|并|顺便|接着)(?:新?建|创建|添加|加(?:上|入|个|一)|增加|删(?:掉|除|了)?|移除|去掉|移动|拷贝|复制|写|重命名|更新|改|拆分?|实现|修(?:复|掉|好)?|替换|抽(?:出|取)|合并|迁移|整理|补(?:上|充|一)|做|搭|接入|支持|处理|发布|上线|部署|排查|定位|设计|调整|重构|统计|导出|生成|准备|完成|跟进|联系|确认)
    把.{1,40}(?:改|移|放|换|拆|合|删|写|加|做|搬|迁|整理|补|抽|转|存|导|发|设|提|挪|并|归|统一)
    """,
)
DELIVERS = _any(
    r"(?:deep|root cause|full|thorough|detailed) \w*\s?analysis|root cause|a (?:full |detailed )?(?:\w+ )?(?:plan|report|proposal|summary|draft|list|design)|code sharing",
    r"(?:一份|一个|一版)\p{Han}{0,8}(?:方案|报告|计划|清单|设计|文档|草稿|总结|分析)|根因(?:分析)?|复盘",
)
"""What is to come out of the work."""
REMEMBERS = _any(
    r"""
    remember|keep in mind|note that|take note|don't forget|bear in mind|for the record|for (?:the )?future|re-?read|you can (?:look|find|check)
    """,
    r"""
    记住|记得|记一下|记下来?|请?牢记|别忘|备忘|注意|留意|提醒(?:你|一下)
    """,
)
DISSENTS = _any(
    r"""
    i (?:disagree|object)|i(?:'m| am) (?:against|not convinced)|i (?:would|'d) rather(?: not)?|not (?:a good|the right) (?:idea|way|approach)
    (?:bad|terrible) idea|i have (?:doubts|concerns|reservations)|under protest|for the record, i|against (?:my|our) (?:advice|recommendation)
    """,
    r"""
    (?:我|本人|他|她|团队|大家|[\p{Han}]{2,3})?(?:不同意|不赞成|不认同|反对|持保留意见|保留意见|有异议|有顾虑|不看好)|不是(?:个)?好主意|我倾向于不
    """,
)
BLOCKS = _any(
    r"""
    blocked (?:by|on|until)|(?:i'm|we're|we are|i am|still|is|are) waiting (?:for|on)|can(?:not|'t) (?:proceed|continue|go on|start|deploy|release) (?:until|without|before|because)
    stuck on|depends on (?:access|approval)|no (?:access|permission)(?: to)?|pending (?:approval|review|access)
    """,
    r"""
    卡(?:在|住)|阻塞|等(?:着|待)?.{1,16}(?:批|审批|审核|回复|确认|权限|开通|到位|答复)|没(?:有)?权限|还没(?:批|开通|到位)|无法继续|推进不了|依赖.{1,12}(?:先|到位)
    """,
)
LIMITS = _any(
    r"""
    not|no|never|none|nothing|without|except|unless|only|until|if|when|before|after|must|at (?:least|most)
    \w+n't|dont|instead|rather|neither|always|\d[\w.%]*|#\w+
    """,
    r"不|别|没|无|非|勿|禁|除|只|仅|才|若|如果|当|前|后|必须|应|可以|至|最|都|全|每|任何|但|而|否则|保留|超过|低于|以上|以下|以内|\d|[一二三四五六七八九十百千万两]",
)
LABELS: dict[Kind, regex.Pattern[str]] = {
    Kind.OPEN: regex.compile(
        r"(?:(?:still )?open(?: (?:question|item|point|issue)s?)?|to[- ]?dos?|action items?"
        r"|待办(?:事项)?|待定|待确认|未决(?:问题|事项)?|遗留(?:问题|事项)?|开放问题)\s*[:：]"
    ),
    Kind.BLOCKER: regex.compile(r"(?:blockers?|blocked(?: by| on)?|阻塞(?:项|点)?|卡点)\s*[:：]"),
    Kind.DECISION: regex.compile(r"(?:decisions?|decided|决定|决议)\s*[:：]"),
}
"""How a line begins that says itself what it is."""
DEFERS = _any(
    r"your call|up to you|let me know|not sure yet|open question|to be (?:decided|confirmed)|tbd|come back to (?:this|that|it)|decide later|wait(?:ing)? for your",
    r"等你(?:来)?(?:确认|定|决定|回复|拍板)|待(?:你)?(?:确认|定)|之后再(?:说|定)|回头再|还没(?:想好|定)|你来定|先放(?:着|一放)|以后再说",
)
"""How an answer leaves a question open."""
GIVES_UP = regex.compile(r"(?:先)?不(?:做|要|用|加|设|搞|管|考虑).{0,16}了$|^(?:skip|drop|forget about|no need for) ")
RESOLVES = _any(
    r"unblocked|resolved|solved|approved|granted|fixed|works now|is (?:there|here|ready|up|back) (?:now|again)|arrived|got (?:it|access)|no longer (?:blocked|an issue)",
    r"解决了?|批(?:了|准|下来)|通过了|开通了|到位了|好了|恢复了|拿到了?|不再(?:卡|阻塞)|可以继续",
)
RETRACTS = _any(
    r"""
    (?:revert|undo|roll back|scrap|scratch|forget|drop|discard|cancel|ignore) (?:that|this|it|those|them|the last|my last|what i said|your changes)
    never ?mind|take (?:that|it) back|on second thought|changed my mind|strike that
    """,
    r"""
    (?:撤回|撤销|撤掉|回退|还原|取消|作废|忽略)(?:掉)?(?:刚才|上面|上一?[个条]|之前|那|这|它|吧|这个|那个|前面)|算了|当我没说|不用了|先不(?:做|改|弄|要)了|(?:我)?改主意了|收回(?:刚才|上面|这|那)|刚才(?:说)?的?(?:不算|作废|不要了)
    """,
)
POINTS_BACK = regex.compile(r"\b(?:that|this|it|those|them|last|said|changes)\b|刚才|上面|上一|之前|那|这|它|前面")
DENIES = _any(
    r"(?<=^)(?:no|nope|nah|hm+ no)(?=[,.! ]|$)",
    r"(?<=^)(?:不对|不是|不行|不[，,。！]|错了)",
)
CHANGES = _any(
    r"""
    instead|actually|no longer|not any ?more|rather than|is now|now (?:is|be|use)|change[ds]?(?: \w+){0,4} to|switch(?:ed)? to|back to|replace[ds]?
    update[ds]?(?: \w+){0,4} to|bump(?:ed)?|raise[ds]?|lower(?:ed)?|increase[ds]?|reduce[ds]?|should be|needs? to be|set to|move
    """,
    r"""
    改(?:成|为|用|到|一下|回)|换(?:成|为|用|回)|不再|不用.{0,8}了|还是(?:用|按|改|走|放|得)|调(?:整|到|成|高|低|大|小)|提(?:高|前)到?|降(?:低|到)|增加到|缩(?:短|小)|延(?:长|后)|放宽|收紧|更新为|恢复|其实是|应该是|以.{1,16}为准
    """,
)
REMOVES = _any(
    r"remove|delete|drop|kill|get rid of|throw away|clean up|purge",
    r"删(?:掉|除|了)?|移除|去掉|清(?:理|掉)|扔掉|不(?:再)?(?:要|留|保留)了",
)
KEEPS = _any(r"keep|preserve|retain|leave", r"保留|留着|留下|保持")
AGREES = regex.compile(
    r"(?:ah|oh|yes|yeah|ok|okay|sure|right|so)?[,!.\s]*"
    r"(?:you(?:'re| are)(?: absolutely| totally| completely| quite)? right|good (?:catch|point|idea|call|thinking)|agreed|makes sense"
    r"|understood|fair (?:point|enough)|exactly|got it|that's (?:correct|right)|absolutely"
    r"|(?:你说得?|您说得?|说得)(?:很|非常|完全)?对|没错|确实|同意|明白了?|收到|好的|了解|是我(?:的错|搞错|弄错|理解错))"
)
BINDING_REPLY = _any(
    r"should|must|never|only|not|belongs? to|will (?:now )?(?:be|use|stay)|always|instead|explicit",
    r"应该|必须|不再|只|不能|不会|改(?:成|为|用)|统一|保留|由|放(?:在|到)|以.{1,16}为准",
)
ERRANDS = regex.compile(
    r"(?:run|open|read|re-?read|look|check|investigate|try|tell|say|sleep|continue|go|test|see|explain|list|ls|print|cat|wait|stop|think|execute"
    r"|write (?:some|a bit)|create (?:a|another) (?:new )?\w+(?: \w+)? (?:for me|then|and open)|are we|did (?:you|we)|do you|have you|is (?:it|that)"
    r"|where (?:were|are)|what (?:did|is|are|was)|delete the file|show me|commit|push|i(?:'ll| will) (?:edit|try|test|check)|let me|you (?:can|there|still)"
    r"|(?:看|读|查|跑|试|打开|执行|运行|等|继续|说|讲|解释|列|告诉我|给我看|帮我看|翻译|睡)(?:一?下|一遍|看|试|起来|出)?(?!\p{Han}{0,4}(?:必须|只能|不)))(?!\w)"
)
BRIEFLY = regex.compile(
    r"(?:sleep|say|tell me|show me|open|print|let me (?:try|test|see|check|look)|i(?:'ll| will) (?:edit|try|test|check|look)|try (?:it|again|that)|write (?:some|a bit))(?!\w)"
    r"|(?:打开|给我看|让我(?:看|试|想)|我(?:来|先|去)?(?:试|看|想)(?:一?下|看)|睡)"
)
"""What is done at once and leaves nothing behind, whatever figures it names."""
ASKS = _any(
    r"what|which|where|when|who|how|why|is|are|was|were|do|does|did|can|could|should|would|will|any|have|has|know|aren't|isn't|does",
    r"吗|么(?=[？?]|$)|呢(?=[？?]|$)|什么|哪|谁|几|多少|怎么|怎样|如何|是不是|有没有|能否|是否|要不要|对不对|行不行|会不会|该不该",
)
TAG = regex.compile(
    r"[,，]?\s*(?:no|right|ok|okay|yes|correct|isn't it|does that make sense|对吧|对不对|是吧|好吧|可以吧|好吗|可以吗|(?<![执进运发举通流试])行[吧吗])\s*[?？]+$|\s+no\s*[?？]+$"
)
VALUED = regex.compile(
    r"#[0-9a-f]{3,8}\b|(?<![\w.])[0-9a-f]{6}(?![\w.])(?<=\d[0-9a-f]*)|(?<![\w.#/-])\d+(?:\.\d+)*\s?(?:%|ms|s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|px|"
    r"tokens?|lines?|files?|times?|rows?|users?|requests?|retries|usd|eur|rmb|cny|元|块|万|亿|秒|毫秒|分钟|小时|天|周|个月|月|年|日|号|点|次|条|个|行|人|页|字|岁|位|版|级|倍|兆|[gmk])(?![a-z])"
    r"|[>≥<≤=]+\s?\d+|\b(?:v|version |port |端口\s?)\d+(?:\.\d+)*|\b\d+\.\d+(?:\.\d+)*\b|(?<!第\s?)(?<=[是为成到用]|\p{Han}\s)\d+(?:\.\d+)?"
)
MAPS = regex.compile(r"\S\s*(?:->|=>|→|⇒)\s*\S|^[\w .\-/]{2,40}\s?[:=：]\s?\S+$")
_JUST_MARK = r"[\s,，、!！.。~～…:：]*"
REQUESTS = regex.compile(
    r"(?:[\W]*(?:ok(?:ay)?|alright|so+|well|hm+|btw|also|and|but|then|now|actually|maybe|please|like|yes|yeah)\b)*\W*"
    r"(?:(?:can|could|would|will)(?:n't)? (?:you|we)|can't we|how about|what if we|why don't we)\b|.{0,8}(?:能不能|可不可以|能否|可以不可以|要不(?!要))"
)
"""How a request begins that is put as a question."""
ELLIPTIC = regex.compile(
    r"(?:should|must|needs?|has|is|are|can(?:not|'t)?|could|shouldn't|mustn't)\b(?! (?:we|i|you|it|that|this|there|the)\b)|(?:应该|必须|要|得|是|改成|换成)(?=\S)"
)
"""How a sentence begins that leaves its subject to the one before it."""
LEADS = regex.compile(
    rf"(?:{_JUST_MARK}(?:(?:ok(?:ay)?|alright|all right|right|so+|well|hm+|btw|by the way|also|and|but|then|now|actually|basically|yeah|yes|yep|please"
    r"|hey|dude|my dude|man|iiuc|afaict|imo|perhaps|maybe|anyway|continue|slight steering|quick question|cool|great|nice|perfect|thanks|jesus|wow|oh|ah|again"
    r"|in that case|for now|ideally|i mean|you know|as i said|next|first of all|one more thing|wait|just|after that|if possible|to be clear"
    r"|i (?:actually |really )?(?:think|guess|suppose|believe|feel like|would (?:think|assume|say|expect)|assume|mean|figure)(?: that)?"
    r"|i (?:would|'d)(?= only)|i(?:'d| would)? (?:actually |really )?(?:want|like|love|need)(?: you| us)? to|i (?:actually |basically )?want(?= a )"
    r"|(?:can|could|will|would) (?:you|we)(?: please| also| just)?(?: make it so(?: that)?)?(?: we| you)?|can't we(?: just)?|couldn't we|how about(?: you| we)?"
    r"|you (?:can|could)(?: also| just)?|let's|lets|we (?:also )?(?:should|could|can|need to|have to|'ll)(?: now| then| also)?|what if we|then we"
    r"|(?:i'm|im) (?:especially|particularly|mostly|mainly) (?:interested|intersted) in|it would be (?:nice|great|good) (?:if|to)(?: we| you)?)(?!\w|')[,:]?"
    r"|(?:好的?|行|嗯+|哦|对了|那么?|其实|话说|另外|还有|顺便(?:说一?句|说一下)?|麻烦你?|请你?|帮(?:我|忙)|我(?:个人)?(?:觉得|认为|感觉|想|希望|要|想要)(?=你|让|是|这|那|我们|把|用|先)(?:让你|你|让)?"
    r"|能不能|可不可以|可以的话|咱们|我们(?=[要先用把就])|然后|所以|等等|等一下|不好意思|辛苦了?|谢谢|没问题|收到|首先|其次|总之|我(?:的意思)?是说?(?=[，,：:])|我的意思是|也就是说|就是说|再说一遍|补充一下|补充一句|说明一下|方便的话|有空(?:的话)?)(?=[，,、：:\s]|(?<=[想要望你我助忙请麻烦便能以觉得认为感么那外是])\p{Han})[，,、：:\s]*))+"
)
WAITS = regex.compile(
    r"^(?:如果|若|假如|当|除非|只要|只有|要是|一旦|万一|哪怕|凡是|为了|虽然|因为|由于|在.{0,14}(?:之前|以前|之后|以后|时候?)$)|(?:的话|时候?|之前|以前|之后|以后)$"
)
FOLLOWS = regex.compile(
    r"^(?:就|则|才|否则|但是?|而且?|并且?|也(?!许)|都|那么?|因为|所以|不然|要不然|除了|否则|再|且|以免|免得|以便|其中|包括|不包括|超过|低于|至于|不过|比如|例如|即使)"
)
ANSWERS = regex.compile(
    rf"\W*(?:{phrases.ASSENT}|no|nope|nah|neither|both|(?:the )?(?:first|second|last|former|latter)|option \w"
    r"|不(?:用|要|行|必|了)?|别|都|第[一二三四五]|前者|后者|两个都)(?=\W|$|\p{Han})"
)
"""How a short answer begins that takes its matter from the question."""
CHATTER = regex.compile(rf"(?:{phrases.COURTESY}|{phrases.CHAT}|{phrases.ASSENT}|{phrases.GO_ON}|\W)+")
