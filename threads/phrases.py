"""What people say around their work, in Chinese and English: patterns of phrases, never whole sentences.

Each pattern is for folded text (compatible width, lower case). English alternatives stand between word boundaries.
"""

import regex


def _either(english: str, chinese: str) -> str:
    return rf"\b(?:{_one_line(english)})\b|{_one_line(chinese)}"


def _one_line(pattern: str) -> str:
    """Return the pattern without its layout; a blank inside English phrases is written as a blank."""
    return "|".join(line.strip() for line in pattern.strip().splitlines())


_FEELING = r"(?:tired|bored|happy|sad|hungry|sleepy|sick|excited|lonely|exhausted|cold|hot)"
_EVENT = r"(?:day|week|weekend|morning|afternoon|evening|night|holiday|vacation|trip|lunch|dinner|birthday|family)"

CHAT = _either(
    rf"""
    (?:ha){{2,}}h?|(?:he){{2,}}|lo+l|lmao|rofl|xd
    jokes?|riddles?|weather|weekend|football|movies?|gossip
    rain(?:y|ing|s)?|snow(?:y|ing|s)?|sunny|sunshine|cloudy|humid
    coffee|breakfast|lunch|dinner|pizza|beer
    how (?:are|r) (?:you|u|things|we)|how have you been|how do you feel|how(?:'s|s| is) (?:it going|life|everything)
    how(?:'s|s| is| was| has) (?:your|the|my) {_EVENT}|what(?:'s|s| is) up|sup|how about you|and you
    how old are you|where (?:are|do) you (?:from|live)|where you(?:'re| are) from|(?:girl|boy)friends?
    what are you (?:doing|up to) (?:tonight|later|this (?:evening|weekend))|who are you
    what(?:'s|s| is) your (?:name|favou?rite)|favou?rite
    (?:are|were) you (?:ok|okay|{_FEELING}|human|alive|real|there|an? (?:robot|human|bot|ai))
    do you (?:like|love|dream|sleep|believe|enjoy|ever|have (?:(?:a|any) )?(?:feelings?|friends?|hobb\w+|pets?))
    i(?:'m|m| am| feel) (?:(?:so|really|very|a bit|kind of|pretty|feeling) )*{_FEELING}
    happy (?:birthday|new year|holidays?|\w+day)|merry christmas|sing (?:me )?(?:a )?song|make me laugh
    something funny|cheer me up|entertain me
    what an? \w+ (?:{_EVENT}|weather)|(?:long|tough|rough|lazy|busy) {_EVENT}
    it(?:'s|s| is) (?:finally |only )?(?:mon|tues|wednes|thurs|fri|satur|sun)day
    (?:let's |wanna |want to |just )?chat(?: with me| a bit| for a (?:bit|while))?|keep me company
    my (?:cat|dog|kids?|wife|husband|mom|dad|girlfriend|boyfriend)s?
    """,
    r"""
    (?:哈|呵|嘿|嘻){2,}|hhh+|233+|笑死
    天气|(?:下|刮)(?:着|了|起)?(?:大|小)?(?:雨|雪|风)(?![天季衣])|晴天|阴天|太阳|月亮|雾霾
    (?:好|真|太|有点|挺|很|这么|那么|超)(?:热|冷|困|累|饿|闷|无聊|开心|难过|烦|孤单|晒|凉快|暖和)
    (?:讲|说|来|听)?一?[个段则]?冷?(?:笑话|段子)|脑筋急转弯|讲一?个故事|唱一?[首支]?歌
    (?:最近|近来|今天|这两天|过得)?(?:怎么样|还好|好|如何|忙)(?:吗|么)(?=$|\s)|最近怎么样|过得(?:怎么样|如何)|最近(?:忙|好)(?:吗|不)?
    你好吗|还好吗|在吗|在不在|吃(?:过)?(?:饭|早饭|午饭|晚饭)?了(?:吗|没有?)|(?:吃|喝)(?:点)?(?:什么|啥)|有(?:感情|意识|灵魂|情绪)
    周末|放假|终于(?:周[一二三四五六日]|星期\p{Han}|放假|下班)|不?想(?:下班|上班|上学|起床)|忙不忙|生日(?=$|\s|[了啦哦啊呀])|睡(?:觉|了吗|不着|得)|做梦|心情|无聊|闲聊|聊聊天
    聊会儿?天?|随便聊聊?|陪我(?:聊|说)
    你(?:是谁|叫什么(?:名字)?|几岁|多大|累不累|累吗|喜欢|会不会|是人吗|是机器人吗)
    \p{Han}{1,3}(?:快乐|安康)|恭喜发财
    [男女]朋友|你(?:的)?家|你会(?:累|困|饿|哭|笑|做梦|难过)|咖啡|奶茶|早饭|午饭|晚饭|早餐|午餐|晚餐|火锅|电影|球赛|追剧|散步|走走|旅游|我家(?:猫|狗|孩子)|猫咪|狗狗
    """,
)

_MUCH = r"(?: (?:so|very) much| a (?:lot|bunch|million|ton)| again)?"
_FOR_IT = r"(?: for (?:(?:all|the|your|that|this) )*\w+)?"

COURTESY = _either(
    rf"""
    hi+|hello+|hey+|hiya|yo|howdy|greetings|morning|good (?:morning|afternoon|evening|night|day)|gn|nite
    (?:many )?(?:thanks|thank (?:you|u)){_MUCH}{_FOR_IT}
    thx|ty|cheers|much appreciated|(?:really )?appreciate (?:it|that)|you(?:'re|r| are) welcome|no worries
    you(?:'ve|ve| have)? (?:helped|saved) (?:me|us)(?: a lot| so much)?|welcome back
    congrat(?:s|ulations)|bye+|goodbye|see (?:you|ya|u)(?: (?:later|soon|tomorrow|around|then|(?:on |next )\w+))?
    talk (?:to you )?(?:later|soon)|cya|ttyl|brb|take care
    (?:well|nicely) done|(?:good|great|nice|awesome|amazing|excellent|fantastic) (?:job|work|one)
    great|awesome|nice|cool|perfect|excellent|wonderful|fantastic|amazing|helpful|brilliant|lovely|hilarious|funny
    impressive|wow
    you(?:'re|r| are)(?: (?:so|really|very|the|a|such))* (?:best|smart|great|awesome|funny|star|genius|legend|kind)
    sorry|apologies|my bad|excuse me|have a (?:good|nice|great|lovely) \w+|nice to (?:meet|see) you|rest well
    (?:good|best of) luck|good one|(?:you )?made my (?:day|week)|sleep well
    there|everyone|everybody|all|folks|guys|buddy|friend|mate
    """,
    r"""
    你好|您好|大家好|各位好|哈喽|哈罗|嗨|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|早啊|早呀|早(?=$|\s)
    (?:非常|十分|太|多)?(?:谢谢|謝謝|感谢|多谢|谢啦|谢了|感激)(?:不尽)?(?:你们?|您|大家|各位)?(?:的|了|啦)?(?:帮助|帮忙|支持|耐心|解答|提醒|努力)?
    辛苦(?:了|啦|你们?了?|您了?|大家了?)?|麻烦你了|不客气|客气了|没关系|不好意思|抱歉|对不起
    再见|拜拜|(?:明天|回头|下次|一会儿?|周[一二三四五六日])见|下班(?:了|啦)|(?:我)?先?去?(?:睡|吃饭|休息)(?:了|啦|觉了?)|好好休息|早点(?:休息|睡)|恭喜|加油
    祝(?:你|您|大家)?(?:一切)?(?:好运|顺利|愉快|开心)|(?:很|好)?高兴(?:认识|见到)(?:你|您)|6{3,}
    (?:你|您)?(?:可)?帮(?:了)?(?:我|我们)?(?:很大的?|一?个?大|不少)忙|帮大忙
    (?:你|您)?(?:真|太|好|很|挺)(?:棒|厉害|聪明|好|牛|强|可爱|漂亮|好看|有趣|有意思|不错|搞笑|好笑)|不错(?=$|\s|[哦啊呀])|棒极了|干得(?:漂亮|好)|做得(?:好|不错)|完美|厉害
    牛[逼啊]?(?=$|\s)|给力|点赞
    """,
)

GO_ON = _either(
    r"""
    continu(?:e|ing)|go(?:ing)? on|mov(?:e|ing) on|keep (?:it |things )?(?:going|at it|on|up|working|moving)
    carry(?:ing)? (?:it )?on|proceed|resum(?:e|ing)|press on|onwards?
    pick(?:ing)? (?:it |this |that |things )?(?:back )?up|back to (?:it|work|this|that)
    where (?:were|was|are|did) (?:we|i|you)(?: (?:stop|leave|get to|end up))?
    where (?:we|you|i) (?:were|stopped|left|ended)
    how far (?:are|were|did|have) (?:we|you)(?: (?:get|got|gotten|come))?
    what(?:'s|s| is| was) (?:the )?(?:status|progress)
    """,
    r"""
    继续|繼續|接着|接著|往下|续上|接(?=上[次回])|接上|回到(?:刚才|上次|之前|前面|昨天)
    (?:说|做|聊|讲|进行|弄|写|干|走|推进)?到(?:了)?(?:哪|什么(?:地方|程度|阶段))(?:儿|里|一步)?(?:了|来着)?
    进度(?:如何|怎么样|怎样|到哪)?(?=$|\s|了|吗)|进展(?:如何|怎么样|怎样)
    """,
)

NEXT = _either(
    r"""
    next(?: (?:steps?|one|thing|item|up))?|what(?:'s|s| is)? (?:next|now|left|remaining)|then what|and then
    after that
    """,
    r"""
    下一(?:步|个|项|条)|接下来|接下去|然后(?:呢)?|后面呢|还有呢|后续
    """,
)

ASSENT = _either(
    r"""
    ok(?:ay|ey)?|k|y|yes|yep|yup|yeah|ya|sure|fine|right|alright|all right|agreed|approved|accepted|confirmed?|lgtm
    deal|got it|understood
    do (?:it|that|so)|go (?:ahead|for it)|sounds (?:good|great|fine)|looks (?:good|great|fine)(?: to me)?|that works
    of course|exactly|no problem
    """,
    r"""
    好(?:的|吧|啊|呀|嘞|滴)|(?:好|行|对|是|嗯|中|成)(?=$|\s|的|吧|啊|呀|了$)|嗯+|可以(?=$|\s|的|了|啊|吧)|没问题|没错|同意|批准|确认|是的|当然|收到|明白
    了解(?=$|\s|了)|就这(?:样|么)(?:办|做|定)?吧?|开始吧|来吧
    """,
)

BACK = _either(
    r"""
    it|its|this|that|these|those|them|the same|same|above|previous one|last one|that's|it's
    """,
    r"""
    它们?|这(?:个|些|里|段|块|边|样|次)?|那(?:个|些|里|段|块|边|样)?|刚才|刚刚|上面|前面|同样|上一[个条次]
    """,
)

MORE = _either(
    r"""
    again|also|too|as well|instead|once more|another|more|rest|remaining|rather
    """,
    r"""
    再|又|也|还(?:有|要)?|另外|顺便|同时|重新|剩下|其余|一遍|一次
    """,
)

# Words of any piece of work: they say what to do, not on what.
GENERIC = _either(
    r"""
    (?:re)?runs?|(?:re)?running|(?:re)?tests?|testing|docs?|documents?|documentation|readme|code|files?|functions?
    methods?|classes|class|modules?|comments?|types?|type hints
    fix(?:e[sd]|ing)?|add(?:s|ed|ing)?|writ(?:e|es|ing)|wrote|chang(?:e|es|ed|ing)|mak(?:e|es|ing)
    updat(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)
    check(?:s|ed|ing)?|review(?:s|ed|ing)?|commits?|committed|push(?:ed)?|pull|merged?|reverted?|undo|redo
    (?:re)?try|builds?|lint|format|refactor(?:ing)?|clean(?:up| up)?|simplify|shorten|polish
    bugs?|errors?|issues?|problems?|fail(?:s|ed|ing|ures?)?|broken|breaks?|wrong|crash(?:es|ed)?
    explain|describe|show|tell|give|look|see|use|using|finish(?:ed)?|complete|implement(?:ed)?|create|examples?
    summary|summari[sz]e|list|details?|version|support|handle|write-?up|notes?|plan|open|close|send|start|stop
    """,
    r"""
    测试|用例|文档|代码|文件|函数|方法|类型|注释|日志|例子|示例|说明|报告|总结|摘要|版本|分支|细节|问题|错误|报错|失败|异常|故障
    运行|执行|检查|提交|合并|回滚一下|撤销|修复|修改|优化|重构|整理|解释|补充|完善|简化|实现|支持|处理|添加|增加|删除|删掉|更新|改[成为到]|改一?下|加上|补上|写(?:个|完|好|成)
    做(?:个|完|好|成)|看看?|跑|修|改|加|删|查|拆|换成?|收(?:个)?尾|出(?:了)?(?=问题|错)
    """,
)

FILLER = _either(
    r"""
    please|pls|plz|kindly|now|just|then|so|well|um+|uh+|hmm+|oh|ah|back|ahead|away|out|off|up|on|in|at|to|of|for
    from|with|by|as|and|or|but|if|when|until|while|about|into
    i|i'm|im|i'd|i'll|we|we're|we'd|we'll|you|you're|u|me|us|my|our|your|he|she|they|their
    the|a|an|some|any|all|every(?:thing)?|something|there|here|let's|lets|let|can|could|would|will|shall|should|may
    might|must|want|wanna|need|like|have|has|had|get|got|is|are|was|were|be|been|am|do|does|did|doing|done|going|go
    gonna
    what|which|who|how|why|where|not|no|don't|'(?:s|re|ll|d|ve|m)|work(?:ing)?|tasks?|jobs?|stuff|things?|points?
    parts?|steps?|left|last|times?|(?:yesterday|today|tomorrow|tonight|last (?:week|night|session))(?:'s)?|earlier
    before|remind|actually|anyway|btw|honestly|basically|previous(?:ly)?|already|session|conversation|ready|help
    really|very|quite|much|bit|little|lot
    """,
    r"""
    上[次回]|昨天|前天|今天|明天|今晚|之前|先前|早上|下午|晚上|现在|目前|这次|未完成|没(?:做|写|弄)?完|未完
    我们|咱们?|你们|他们|我|你|您|他|她|请|麻烦|帮(?:我|忙)?|给|能不能|可不可以|能|可以|可|想|要|需要|应该|打算|得
    工作|任务|事情?|活儿?|东西|内容|部分|地方|步骤?|什么|怎么样?|哪(?:里|儿)?|一下|一点|一些|一[个段条]?|有|没有?|不|是|在|去|推进|进行|完成|开始|下去|来|做|干|弄|写|说|聊|讲|搞
    走|到|完|下|就|都|先|很|真|太|把|被|让|将|与|和|跟|对|为|从|向|用|的|地|得|了|着|过|吧|呢|啊|呀|吗|嘛|哦|噢|哈|啦|呗|么|个|点|些|里|上|中|好|吗
    """,
)

# A clause that puts the present matter away, after which a new one may be opened.
PUT_AWAY = regex.compile(
    r"\b(?:forget|never ?mind|leave (?:it|this|that)|enough|that's (?:all|it)|that is all"
    r"|done with|drop (?:it|this|that))\b"
    r"|算了|先不管|不管(?:它|了)|到此为止|到这(?:里|儿)|先放|先这样|不(?:做|聊|说|弄)了|告一段落",
    regex.V1,
)

# Signs of work: with one of them, a chatty topic is a detail and not the matter.
WORK = regex.compile(
    r"\b(?:fix|add|write|build|test|code|bug|implement|refactor|deploy|run|update|create|remove|delete|rename|review|merge"
    r"|commit|push|error|fail|broken|crash|api|endpoint|server|database|db|function|module|file|page|report|feature|config"
    r"|migrat|script|query|table|column|widget|app\b|service|log\b|doc|draft|schedule|email|invoice|budget|plan|estimate"
    r"|analy[sz]|compare|summar|translat|research|design|prepare|check|investigat|support|integrat|install|upgrade"
    r"|dashboard|dataset|model|parse|client|user|product|website|button|access|permission|account|password|token)"
    r"|写|修|改|做(?:[一个完好成出]|份)|加[个上一]|查|跑|部署|实现|删|建|优化|重构|接口|代码|脚本|数据|报错|错误|失败"
    r"|上线|发布|合并|提交|分支|文档|方案|计划|报告|分析|设计|整理|翻译|总结|配置|迁移|页面|功能|服务|日志|测试|系统"
    r"|模块|组件|算法|模型|需求|把|帮我|客户|产品|统计|订单|值班|排[期班一]|表格|权限|访问|账号|密码|会议|合同|发票"
    r"|预算|行程",
    regex.V1,
)

_OPEN = r"(?:start|begin|open|create|make|have|do|try|go|switch(?: over)? to|change to|move on(?:to| to)|on to|let's)"
_SOFT = (
    r"(?:(?:actually|let's|lets|let us|can we|could we|can you|could you|i want to|i'd like to|i would like to"
    r"|we should|time to|please|ok|okay|now|so|maybe|and|then|how about|what about)\s+)*"
)
_VERB = rf"(?:{_OPEN}|talk about|work on|discuss)"
_WHOLLY = r"(?:(?:completely|totally|brand|entirely|whole|very)[\s-]+)*"
_NEWNESS = rf"(?:(?:an?|the)\s+)?{_WHOLLY}(?:new|fresh|different|another|separate|clean|next)"
_TALK = r"(?:topic|conversation|chat|subject|discussion|line of work|matter|project)"
_WINDOW = r"(?:thread|session|slate|start|window)"
_SOFT_TAIL = r"(?:\s+(?:please|now|then|here|for me|altogether|instead|today|again|from scratch|from zero))*\s*"
_SOFT_ZH = (
    r"(?:我们|咱们?|我|你|想|要|请|麻烦|帮我|给我|那么?|好|现在|来|可以|能不能|能"
    r"|这次|不如|先|还是|就|干脆|让|今天|另外|聊完了)*"
)
_NOUN_ZH = r"(?:话题|主题|线程|对话|会话|聊天|课题|头|事情?|事儿|工作线|东西|项目|题目|内容)"
_TAIL_ZH = r"(?:吧|了|呢|啊|一下|好了|好吗|可以吗|行吗|一次|一遍|来过?)*(?:$|\s|(?=关于|讨论|聊|谈|来做|专门))"
_NEW_ZH = r"(?:全新|崭新|新|别|其[他它]|不同|另外|不一样)的?"
_OPEN_ZH = r"(?:开启?|起|建|来|做|搞|聊聊?|说说?|谈谈?|切换?到?|转到|创建|打开|弄|换)"
_ANEW_ZH = r"(?:换|另起|另开|(?<=另外)开|新开|新建|新起|重开|切换|重新开始|开始)"

RESTART = regex.compile(
    "|".join(
        (
            rf"^{_SOFT}(?:{_OPEN}\s+)?{_NEWNESS}\s+{_TALK}{_SOFT_TAIL}(?:$|(?=about|regarding|on|for|to|where)\b)",
            rf"^{_SOFT}(?:{_OPEN}\s+)?{_NEWNESS}\s+{_WINDOW}{_SOFT_TAIL}(?:$|(?=about|regarding)\b)",
            rf"^{_SOFT}(?:{_VERB}\s+)?something\s+{_WHOLLY}(?:new|different|else|fresh){_SOFT_TAIL}$",
            rf"^{_SOFT}(?:re)?start(?:ing)?\s+(?:over|afresh|anew|fresh|from scratch|from zero){_SOFT_TAIL}$",
            rf"^{_SOFT}(?:restart|(?:begin|start) again){_SOFT_TAIL}$",
            rf"^{_SOFT}(?:change|switch)(?:ing)? (?:of |the )?(?:topics?|subjects?){_SOFT_TAIL}$",
            rf"^{_SOFT_ZH}(?:重新(?:开始|来过?)|从头(?:再)?(?:开始|来过?)|重来|推倒重来|另起炉灶|重开){_TAIL_ZH}",
            rf"^{_SOFT_ZH}{_OPEN_ZH}一?[个条件点些场段]?{_NEW_ZH}{_NOUN_ZH}?{_TAIL_ZH}",
            rf"^{_SOFT_ZH}{_ANEW_ZH}一?[个条件]?新?的?{_NOUN_ZH}{_TAIL_ZH}",
            rf"^(?:全新|新|另一?[个条]|下一个|别)的?(?:话题|主题|线程|对话|会话|课题|项目){_TAIL_ZH}",
        )
    ),
    regex.V1,
)

# What stands before the matter itself; taken off a title.
LEAD = regex.compile(
    r"^(?:[\s#>*`\-–—•·:：,，.。!！?？、…~～]+"
    r"|/[a-z][\w-]*(?=\s|$)"
    r"|(?:please|pls|kindly|can|could|would|will) (?:you|we)(?: please)?\b"
    r"|(?:please|pls|kindly|now|then|so|just|also|and|ok|okay|hi|hey|hello(?! world))\b"
    r"|i(?:'d| would) like (?:you )?to\b|i (?:want|need) (?:you )?to\b|(?:we|you) (?:need|have|should|must)(?: to)?\b"
    r"|let(?:'s| us)\b|help me(?: to| with)?\b|(?:about|regarding|on|for|to|with)\b|next(?: step)?\b"
    r"|continue(?: with| to| on)?\b|(?:go|carry|keep) on(?: with)?\b|resume\b|keep (?:going|working)(?: with| on)?\b"
    r"|请(?!假|求|示|柬)|麻烦(?:你|您)?|帮(?:我|忙)|给我|能不能|可不可以|(?:你|您)?可以|我们|咱们"
    r"|(?:我|我们)?(?:想|要|需要)(?:让|请)?(?:你|您)?(?!求|素|闻|法|象|点)"
    r"|现在|接下来|下一步|那么|继续|接着|这次|关于|聊聊|讨论(?:一下)?|另外|顺便|好的|谢谢)",
    regex.V1 | regex.IGNORECASE,
)
