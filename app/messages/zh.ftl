# 商店的中文文案。与 en.ftl 的消息、属性、变量一一对应，由测试比对。
# 随数据而定的消息名（field-error-…、notice-…、order-notice-…、order-lead-…、channel-…、surplus-…、refund-status-…、
# problem-…、message-…、status-…、event-…、source-…）由代码拼出。

shop-name = Oncemart
skip-to-content = 跳到正文
nav-label = 主导航
nav-catalog = 商店
nav-orders = 我的订单
language-label = 语言
language-en = English
language-zh = 中文
footer-promise = Oncemart 是一家演示商店：无论双击、刷新还是断网，一张订单表单最多只会生成一笔订单。这里不会真的售卖或发货。
footer-problems = 常见问题与处理办法
error-title = 有误：{ $title }
breadcrumb-back = 返回商店
price = ¥{ $amount }
minus-price = −¥{ $amount }

# 商品列表

catalog-title = 商店
catalog-heading = 好物，只下一次单
catalog-intro = 挑一件喜欢的吧。不管您点了几次、刷新了几遍、断没断网，都只会有一笔订单，绝不会重复。
catalog-empty = 目前没有在售商品，请稍后再来看看。
catalog-order = 去下单
    .label = 下单：{ $product }
availability-in-stock = 有货
availability-few = 仅剩 { $count } 件
availability-sold-out = 已售罄
availability-off-sale = 暂未上架

# 订单表单

form-title = 下单：{ $product }
form-heading = 确认订单
form-lead = 核对数量，填好收货信息，点一次提交即可；多点几次也没关系。
form-items = 商品清单
form-quantity = 数量
    .label = { $product } 的数量
form-quantity-hint = 每种商品可购 1～{ $maximum } 件。
form-each = 单价 ¥{ $amount }
form-unknown-product = 未知商品 { $sku }
form-remove = 移除
    .label = 移除 { $product }
form-add = 再加一件商品
    .choose = 选择商品
    .button = 添加
form-no-lines = 订单里还没有商品，请在下方添加。
form-receiver = 收货信息
form-name = 收货人
form-phone = 联系电话
    .hint = 5～20 位数字，可含空格、连字符、括号和开头的一个加号。
form-address = 收货地址
    .hint = 请写在一行：省、市、街道、门牌号。
form-note = 给商家留言
    .optional = 选填
form-coupon = 优惠券
    .hint = 点“使用”后即可看到优惠，提交订单时会再次核对。
    .apply = 使用
form-coupon-good = 此优惠券可减 ¥{ $amount }。
summary-heading = 金额明细
summary-subtotal = 商品小计
summary-discount = 优惠券
summary-total = 应付总额
summary-unknown = 请检查数量
summary-recalculate = 重新计算
form-submit = 提交订单
form-promise = 一张表单只对应一笔订单：不确定是否成功时，再点一次即可，不会重复扣款。
form-errors-heading = 请修改 { $count ->
       *[other] { $count } 处内容
    }

# 前端岛屿：订单发送途中页面的提示

sending-busy = 正在提交…
sending-status = 正在提交您的订单…
sending-retry = 尚不确定订单是否送达，正在重试，不会重复扣款。
sending-offline = 当前网络已断开。订单已保留在本页，恢复联网后会自动提交，且只提交一次。
sending-try-now = 立即重试
sending-done = 下单成功，正在打开订单…
    .link = 查看订单
editing-busy = 正在更新…
editing-done = 订单表单已更新。
elsewhere-heading = 这张表单已在另一个标签页下单成功
elsewhere-text = 订单已提交，仅此一笔。在本页无论怎么操作，都不会再次下单。
elsewhere-link = 查看订单
elsewhere-again = 再下一单
coupon-not-applied = 这张优惠券不存在或已用完，不会减免任何金额。

# 字段错误

field-items = 商品清单
field-quantity = { $product } 的数量
field-error-required = 请填写此项。
field-error-too-long = 最多 { $maximum } 个字符。
field-error-forbidden-character = 含有不可使用的字符，例如控制字符。
field-error-not-a-phone-number = 电话号码应为 5～20 位数字，可含空格、连字符、括号和开头的一个加号。
field-error-not-a-quantity = 请输入 1～{ $maximum } 之间的整数。
field-error-not-a-sku = 商品编号不正确。
field-error-too-many-lines = 一笔订单最多 { $maximum } 种商品。
field-error-not-a-text = 此项应为文本。
field-error-not-an-amount = 金额应为整数（单位：分）。
field-error-not-a-channel = 没有这种支付方式。

# 本次提交未被接受的原因：没有下单，已填内容均保留

notice-sold-out = 库存不足
    .text = 手慢了一步：{ $product } 已售罄，或剩余数量不足。本次没有下单，请修改数量或移除该商品。
    .text-left = { $available ->
        [0] { $product } 已售罄。本次没有下单，移除该商品后可继续购买其他商品。
       *[other] { $product } 仅剩 { $available } 件。本次没有下单，请修改数量后重新提交。
    }
notice-price-changed = 价格有变动
    .text = 在您浏览本页期间，{ $product } 的价格发生了变化。本次没有下单。下方已显示最新价格，确认无误后请重新提交。
notice-unknown-product = 找不到该商品
    .text = 本店没有 { $product }。本次没有下单，移除该商品后可继续购买其他商品。
notice-product-off-sale = 商品已下架
    .text = { $product } 目前不可购买。本次没有下单，移除该商品后可继续购买其他商品。
notice-coupon-not-usable = 优惠券不可用
    .text = 该优惠券不存在、已被使用或已失效。本次没有下单，请删除或更正后重新提交。
notice-refused = 订单未被接受
    .text = 本次没有下单，请检查表单后重新提交。
notice-token-expired = 页面打开的时间太久了
    .text = 表单的有效期为 24 小时。本次没有下单。您填写的内容已保留，表单也已更新，请核对后重新提交。
notice-token-unknown = 这张表单不属于本次访问
    .text = 可能是浏览器的 Cookie 被清除了。本次没有下单。您填写的内容已保留，表单也已更新，请核对后重新提交。
notice-token-reused = 这张表单已生成订单 { $order }
    .text = 它此前已以其他内容下单成功，原订单保持不变；之后修改的内容并未下单。
    .link = 查看订单 { $order }
notice-try-again = 暂时无法确认您的订单
    .text = 您填写的内容都还在，请稍后再次提交。同一张表单绝不会生成两笔订单。
notice-edited = 表单已更新
    .text = 尚未下单。
notice-go-to-field = 前往修改

# 已生成订单的表单

became-title = 这张表单已生成订单
became-heading = 这张表单已生成订单 { $order }
became-text = 订单只提交了一次，不会再次提交。您可以查看这笔订单；如果还想再买，也可以重新下一单。
became-link = 查看订单 { $order }
became-restart = 再下一单

# 仍在处理

working-title = 订单正在处理
working-heading = 请稍候，正在处理您的订单
working-text = 目前还不能确定下单是否成功，本页每两秒自动查询一次。无论您怎么点，都不会重复下单。
working-gave-up-title = 结果尚未确定
working-gave-up-heading = 处理时间比预期长
working-gave-up-text = 目前仍无法确定下单是否成功。请返回表单再次提交，这样做是安全的：如果第一次已经成功，您看到的就是那笔订单，绝不会多出一笔。
working-back = 返回表单

# 订单

order-title = 订单 { $order }
order-heading = 订单详情
order-announcement = { $event }。订单状态：{ $status }。
order-lead-WAIT_PAY = 谢谢惠顾！订单已提交，仅此一笔，付款后即刻生效。
order-lead-PAID = 谢谢惠顾！款项已收到，正在为您备货。
    .nothing-to-pay = 谢谢惠顾！订单已提交，仅此一笔，无需付款。
order-lead-SHIPPED = 您的订单正在路上。
order-lead-COMPLETED = 您已收货，祝您使用愉快！
order-lead-CLOSED = 订单已关闭，不会再扣款。
    .cancelled = 您已取消该订单，不会再扣款。
    .deadline-passed = 未在规定时间内付款，订单已关闭，不会再扣款。
order-lead-REFUNDING = 全部款项正在退还给您。
order-lead-REFUNDED = 全部款项已退还给您。
order-number-label = 订单编号
order-placed-at = 下单时间
order-pay-before = 付款截止
order-items = 商品清单
order-pieces = { $count } × ¥{ $amount }
order-receiver = 收货信息
order-note = 留言
order-coupon = 优惠码
order-amounts = 金额明细
order-journal = 订单动态
order-again = 继续逛逛
amount-paid = 已付款
amount-refund-asked = 退款中
amount-refunded = 已退款
journal-by = 来自{ $source }
journal-change = { $from } → { $to }
time-zone = { $time } (UTC+8)
status-WAIT_PAY = 待付款
status-PAID = 已付款
status-SHIPPED = 已发货
status-COMPLETED = 已完成
status-CLOSED = 已关闭
status-REFUNDING = 退款中
status-REFUNDED = 已退款
event-placed = 已下单
event-payment_succeeded = 付款成功
event-payment_failed = 付款失败
event-payment_closed = 支付已关闭
event-cancelled = 订单已取消
event-deadline_passed = 付款超时
event-surplus_received = 收到多付的款项
event-surplus_refunded = 多付的款项已退还
event-shipped = 已发货
event-received = 已确认收货
event-refund_asked = 已申请退款
event-refund_succeeded = 退款成功
event-refund_refused = 退款被拒绝
source-buyer = 您的浏览器
source-api_client = API 客户端
source-channel = 支付渠道
source-timer = 定时任务
source-consumer = 商店系统
source-operator = 商店员工

# 订单：付款

channel-wechat = 微信支付
channel-alipay = 支付宝
channel-webhook = 银行卡
payment-choose = 请选择付款方式，应付 { $price }
payment-another = 或换一种方式付款
payment-promise = 多点几次也没关系，不会重复扣款。
payment-none = 该订单暂时无法付款，请稍后再来看看。
payment-open = 用{ $channel }付款 ¥{ $amount }
payment-qr = 请用手机上的{ $channel }扫描此二维码。
    .alt = 二维码：用{ $channel }扫码付款 ¥{ $amount }。
    .here = 或在本设备上付款
payment-redirect = 您将在支付平台的页面付款，完成后会回到这里。
    .continue = 前往{ $channel }
payment-then = 已经付款？款项到账后，这里会立即显示。
payment-look-again = 再看一次
payment-failed = 用{ $channel }付款未成功，没有扣款，请重新选择。
surplus-late =
    .refunding = 订单关闭后收到{ $channel }付款 ¥{ $amount }，正在为您退款，您无需操作。
    .refunded = 订单关闭后收到{ $channel }付款 ¥{ $amount }，已为您退款。
surplus-second =
    .refunding = 订单已付款，又收到{ $channel }付款 ¥{ $amount }，多付部分正在为您退款，您无需操作。
    .refunded = 订单已付款，又收到{ $channel }付款 ¥{ $amount }，多付部分已为您退款。

# 订单：付款之后

receipt-text = 商品都收到了吗？
    .button = 确认收货
cancel-heading = 取消订单
    .text = 取消后订单将永久关闭，不会再扣款。如果您恰好此刻完成付款，订单将保持已付款状态。
    .button = 确认取消
refund-heading = 申请退款
    .button = 提交退款申请
    .promise = 多点几次也没关系，本表单只会退款一次。
refund-amount = 退款金额（元）
    .hint = 最多可退 ¥{ $amount }。若全额退款，将不再发货。
refund-reason = 退款原因
    .hint = 请简短说明，支付平台会在退款记录中显示。
refunds-heading = 退款记录
refund-status-ASKED = 处理中
refund-status-SUCCEEDED = 已退款
refund-status-REFUSED = 已拒绝

# 订单：本次操作未生效的原因

order-notice-payment-unreachable = 尚不确定支付是否已创建
    .text = 支付平台没有应答，无法确定请求是否送达。请再点一次：仍是同一笔支付，不会重复扣款。
order-notice-channel-refused = 支付平台未接受这笔支付
    .text = 没有扣款，请换一种方式付款。
order-notice-not-payable = 该订单已无需付款
    .text = 订单已付款或已关闭。本次操作没有扣款，下方是订单的最新状态。
order-notice-cannot-cancel = 该订单已无法取消
    .text = 订单已付款，或此前已关闭。下方是订单的最新状态。
order-notice-refund-too-large = 超出可退金额
    .text = 目前最多还可退 ¥{ $amount }。本次没有申请退款。
order-notice-refund-amount-invalid = 请输入以元为单位的金额，例如 19.90
    .text = 金额应大于零，最多两位小数。本次没有申请退款。
order-notice-refund-reason-invalid = 请简短填写退款原因
    .text = 原因不宜过长，且不能含有特殊的控制字符。本次没有申请退款。
order-notice-still-working = 仍在处理
    .text = 上一次操作尚未完成，请稍后再看。无论您怎么点，都不会重复执行。
order-notice-refund-number-taken = 这张表单已申请过退款
    .text = 之前的退款按其金额和原因保持不变，见下方。如果还需要这一笔，请再点一次，表单已更新。
order-notice-cannot-confirm = 没有可确认的收货
    .text = 只有已发货的订单才能确认收货。下方是订单的最新状态。

# 我的订单

orders-title = 我的订单
orders-heading = 我的订单
orders-intro = 用本浏览器下过的全部订单，最新的在最前面。
orders-empty = 还没有订单
    .text = 用本浏览器下单后，订单会显示在这里。
    .link = 去商店逛逛
orders-pieces = { $count ->
       *[other] 共 { $count } 件
    }
orders-open = 订单 { $order }

# 提示页

message-not-found =
    .title = 页面不存在
    .text = 这个页面不存在，或者不属于您。
message-cookies-needed =
    .title = 请允许使用 Cookie
    .text = 订单表单需要一个 Cookie 来确认表单属于您。您的浏览器没有保存它，因此什么都没有记录。请允许本站使用 Cookie，然后重新打开表单。
message-cross-site =
    .title = 请求并非来自本店
    .text = 有其他网站试图以您的名义提交内容，已被拒绝，没有任何改动。如果您正在填写本店的表单，请重新打开后再提交。
message-unavailable =
    .title = 请稍候
    .text = 商店暂时无法读取数据。没有任何丢失，也不会重复下单。请稍后刷新本页。
message-too-large =
    .title = 内容过长
    .text = 提交的内容超出了上限，没有下单。请返回并缩短内容。
message-bad-request =
    .title = 无法识别提交的内容
    .text = 提交的内容不是本店的表单，没有下单。请重新打开表单。
message-broken =
    .title = 我们这边出了点问题
    .text = 非常抱歉。如果您正在下单，请再次提交同一张表单，最多只会生成一笔订单。
message-home = 返回商店

# API 的问题类型

problems-title = 常见问题与处理办法
problems-heading = 常见问题与处理办法
problems-intro = API 的每个错误都属于下列某一类型，每个链接就是该类型的固定地址。
problems-keys-heading = 幂等键的有效期
problems-keys-first = 提交令牌自表单加载起 24 小时内可用于首次下单。超过时限仍未使用的令牌会得到 410，页面会给出新的令牌。
problems-keys-kept = 每个键的应答，自该键最后还能发起订单的时刻起，至少保留 7 天。在此期间，用同一个键重复同一请求，会原样得到第一次的应答，一个字节都不差，并带有 Idempotency-Replayed: true。
problems-keys-after = 订单比应答记录保存得更久：即使应答记录已清理，只要订单存在，同一个键就绝不会产生第二笔订单。
problems-retry-heading = Retry-After 的含义
problems-retry-text = Retry-After 表示多少秒之后可以用同一个键、同样的内容再次发送请求。正在处理的请求若被重复发送，会先等待最多 2 秒以取得结果。没有 Retry-After 的应答不会因等待而改变：请查看其类型并修改请求。
problems-list-heading = 类型
problems-status = HTTP { $status }
problem-meaning = 含义
problem-action = 处理办法
problem-all = 全部问题类型
problem-missing-key = 缺少幂等键
    .meaning = 请求没有带键：既没有 X-Submit-Token，也没有 Idempotency-Key 或表单字段 submit_token。服务器从不自行生成键，否则无法识别重试。
    .action = 请发送表单中的提交令牌；API 客户端请自行生成键，并在每次重试时使用同一个。
problem-key-mismatch = 键不唯一
    .meaning = 请求里有两个不同的键，或同一个键头出现了两次，无法判断以哪个为准。两个键都没有被占用。
    .action = 只在一处发送一个键。这两个键都仍可使用。
problem-malformed-key = 键的格式不对
    .meaning = 键为空、超过 128 个字符，或含有不允许的字符。
    .action = 请发送 1～128 个可见 ASCII 字符；提交令牌请与页面给出的完全一致。
problem-malformed-request = 无法解析请求
    .meaning = 请求无法解析：JSON 或表单编码有误、同一名称出现两次，或字节不是 UTF-8。键没有被占用。
    .action = 更正请求后用同一个键重新发送。
problem-unsupported-media-type = 不支持的内容类型
    .meaning = 订单须以 UTF-8 编码的 application/json 或 application/x-www-form-urlencoded 发送，本次请求不是这两种。
    .action = 把 Content-Type 设为其中之一，用同一个键重新发送。
problem-request-too-large = 请求过大
    .meaning = 请求体超过服务器读取的上限。内容完全没有使用，键仍然有效。
    .action = 请缩小请求体。一笔订单最多 50 行。
problem-invalid-fields = 字段不合要求
    .meaning = 有一个或多个字段不合要求，“errors” 列表里每个字段一条。键没有被占用。
    .action = 更正字段后重新发送，可以继续使用同一个键。
problem-unknown-token = 未知的提交令牌
    .meaning = 该令牌不是本店签发的，或不是签发给当前浏览器会话的。是否被他人使用过，不会透露。
    .action = 重新打开订单表单，使用其中的令牌。
problem-expired-token = 提交令牌已过期
    .meaning = 该令牌签发已超过 24 小时，且从未生成订单。本次没有下单。
    .action = 重新打开订单表单。页面会保留已填内容，并给出新的令牌。
problem-unauthorized = 未经授权
    .meaning = 使用自定义的键需要 API 客户端的密钥，本次请求携带的密钥无法识别。
    .action = 发送 Authorization: Bearer 加客户端密钥，或使用订单表单中的提交令牌。
problem-cross-site-request = 跨站请求
    .meaning = 写请求来自其他网站的页面。在进行任何处理之前就已拒绝。
    .action = 请从本店页面发送写请求，或由程序使用自己的凭证发送。
problem-key-reused = 键已用于其他内容
    .meaning = 这个键已对应一个内容不同且已被接受的请求，第一次的结果保持不变。
    .action = 若是重试，请发送与第一次完全相同的内容；若是新订单，请使用新的键。否则请检查程序：两个操作绝不能共用一个键。
problem-still-running = 仍在处理
    .meaning = 使用这个键的第一个请求尚未完成，服务器已为它等待了最多 2 秒。中途失败的请求只会占用键几秒钟。
    .action = 按 Retry-After 等待后，用同一个键重新发送同一请求，即可得到第一个请求的结果。
problem-sold-out = 库存不足
    .meaning = 剩余数量少于订单所需。没有预留任何库存，键仍可使用。
    .action = 减少数量后重新发送；同样的或更正后的订单都可以使用同一个键。
problem-unknown-product = 商品不存在
    .meaning = 订单中的商品不存在。没有下单，键仍可使用。
    .action = 移除或更正商品后重新发送，可以使用同一个键。
problem-product-off-sale = 商品未上架
    .meaning = 商品存在，但目前不可购买。没有下单，键仍可使用。
    .action = 移除该商品，或稍后发送同一请求，可以使用同一个键。
problem-price-changed = 价格有变动
    .meaning = 您预期的总额或单价与当前不符。没有下单，键仍可使用。
    .action = 请读取当前价格；如果同意，按新价格发送订单，可以使用同一个键。
problem-coupon-not-usable = 优惠券不可用
    .meaning = 优惠券不存在、已被使用或已失效。没有下单，更不会按原价下单，键仍可使用。
    .action = 删除或更换优惠券后重新发送，可以使用同一个键。
problem-channel-not-available = 支付方式未开通
    .meaning = 本店没有配置这种支付方式，没有发起任何付款。
    .action = 请选择订单页面上提供的支付方式。
problem-channel-refused = 支付渠道拒绝
    .meaning = 支付机构明确拒绝，这笔付款已结束，没有发生资金变动。
    .action = 请重新付款，可以用同一种或另一种方式：那是一笔新的付款。
problem-order-not-payable = 订单不在等待付款
    .meaning = 订单已付款、已关闭或已超时，没有发起任何付款。
    .action = 请查看订单；如果已关闭，请重新下单。
problem-order-not-cancellable = 订单不能取消
    .meaning = 订单已付款或已关闭，没有任何改变。
    .action = 已付款的订单可以申请退款。
problem-order-not-receivable = 无需确认
    .meaning = 订单当前状态不允许这一步：只有已发货的订单才能确认收货，只有已付款的订单才能发货。没有任何改变。
    .action = 请查看订单状态。
problem-refund-too-large = 退款金额过大
    .meaning = 申请的金额超过已付且尚未申请退款的部分，没有发生资金变动。
    .action = 申请的金额不要超过“refundable_fen”。
problem-refund-number-taken = 退款编号已被使用
    .meaning = 另一笔退款已使用这个编号，没有发生资金变动。
    .action = 请换一个没有用过的编号重新申请。
problem-record-expired = 记录已清理，订单仍在
    .meaning = 这个键很久以前已生成订单。保存的应答已清理，但订单仍然存在，没有产生第二笔订单。
    .action = 请通过链接查看该订单。如需新订单，请使用新的键。
problem-not-found = 未找到
    .meaning = 该地址没有内容，或不属于您。两者有意不作区分。
    .action = 请检查地址和凭证。
problem-method-not-allowed = 不支持的方法
    .meaning = 该地址存在，但不支持这个方法。
    .action = 请使用 Allow 头列出的方法。
problem-unavailable = 暂时不可用
    .meaning = 数据库暂时无法访问或响应过慢。这个应答没有记在该键之下；极少数情况下操作其实已经完成，重试时会得到其结果。
    .action = 按 Retry-After 等待后，用同一个键重新发送同一请求。
problem-internal-error = 内部错误
    .meaning = 我们这边出了问题。这个应答没有记在该键之下。
    .action = 用同一个键重新发送同一请求，最多只会生效一次。如果一直失败，请告知我们请求编号。

# 沙箱支付网关

sandbox-name = 沙箱支付网关
sandbox-no-money = 不涉及真实资金
sandbox-footer = 本页代表支付机构的页面，属于沙箱环境：不会产生真实资金流动，签名使用沙箱自己的密钥。
sandbox-channel-wechat = 微信支付
sandbox-channel-alipay = 支付宝
sandbox-channel-webhook = Webhook 支付机构
sandbox-state-open = 待支付
sandbox-state-paid = 已支付
sandbox-state-closed = 已关闭，未支付
sandbox-state-failed = 支付失败
sandbox-cashier-title = 支付 { $amount }
sandbox-cashier-heading = 使用{ $channel }付款
sandbox-amount = 金额
sandbox-subject = 商品
sandbox-merchant = 商户
sandbox-payment-no = 支付单号
sandbox-pay-before = 支付截止时间
sandbox-pay = 支付 { $amount }
sandbox-fail = 让支付失败
sandbox-close = 关闭，不支付
sandbox-back = 返回商店
sandbox-pay-again = 再支付一次
sandbox-pay-although-closed = 关闭后仍然支付
sandbox-corner = 工程师专区
    .text = 这些情况真实的支付机构偶尔都会出现。选择这笔支付要出什么问题，然后支付。
    .label = 出什么问题
sandbox-misbehaviour-none = 一切正常
sandbox-misbehaviour-lose-answer = 商店的第一次应答丢失
sandbox-misbehaviour-twice-at-once = 通知同时发送两次
sandbox-misbehaviour-out-of-order = “已支付”之后又收到“未支付”和“已关闭”
sandbox-misbehaviour-late = 通知晚到一分钟
sandbox-misbehaviour-wrong-amount = 通知中的金额不符
sandbox-misbehaviour-wrong-currency = 通知中的币种不符
sandbox-misbehaviour-wrong-merchant = 通知属于另一个商户
sandbox-misbehaviour-bad-signature = 第一次通知的签名不正确
sandbox-misbehaviour-old-timestamp = 第一次通知的签名时间过旧
sandbox-misbehaviour-probe = 第一次通知是签名探测
sandbox-misbehaviour-full-schedule = 无论是否应答，都发完全部通知
sandbox-misbehaviour-silent = 完全不发通知
sandbox-misbehaviour-refuse-refunds = 拒绝退款
sandbox-misbehaviour-fail-refunds = 受理退款，之后退款失败
sandbox-refused-heading = 没有可支付的内容
sandbox-refused-text = 支付机构不认识这笔支付，或者不接受这个请求。请返回商店，从那里重新开始。
sandbox-overview-heading = 沙箱支付网关的视角
sandbox-overview-intro = 支付机构一侧：商店请求了什么，将要发送什么通知，以及收发的全部内容。
sandbox-payments = 支付单
    .empty = 还没有人请求支付。
sandbox-notices = 通知
    .empty = 没有要发送的通知。
sandbox-notice-waiting = 等待发送
sandbox-notice-acknowledged = 已确认
sandbox-notice-given_up = 已放弃
sandbox-attempts = 已尝试 { $count } 次
sandbox-send-now = 立即发送
    .label = 立即发送 { $number } 的通知
sandbox-traffic = 收发记录
    .empty = 还没有收发任何内容。
sandbox-direction-received = 收到
sandbox-direction-sent = 发出
sandbox-no-answer = 无应答
sandbox-request = 请求
sandbox-answer = 应答
