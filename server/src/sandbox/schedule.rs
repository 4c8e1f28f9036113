//! When each provider sends a notification again, how long it waits for an answer, and what it takes for "received".

use crate::channels::ChannelId;
use std::time::Duration;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
const fn minutes(minutes: u64) -> Duration {
    Duration::from_mins(minutes)
}
const fn hours(hours: u64) -> Duration {
    Duration::from_hours(hours)
}

/// WeChat Pay: 15 repetitions over 24 hours and 4 minutes. Source: its guide on handling callbacks.
const WECHAT: [Duration; 15] = [
    seconds(15),
    seconds(15),
    seconds(30),
    minutes(3),
    minutes(10),
    minutes(20),
    minutes(30),
    minutes(30),
    minutes(30),
    minutes(60),
    hours(3),
    hours(3),
    hours(3),
    hours(6),
    hours(6),
];

/// Alipay: 7 repetitions over 24 hours and 24 minutes. Source: its page on asynchronous notices.
const ALIPAY: [Duration; 7] = [
    minutes(4),
    minutes(10),
    minutes(10),
    hours(1),
    hours(2),
    hours(6),
    hours(15),
];

/// Standard Webhooks: the specification's example, without jitter.
const WEBHOOK: [Duration; 9] = [
    seconds(5),
    minutes(5),
    minutes(30),
    hours(2),
    hours(5),
    hours(10),
    hours(14),
    hours(20),
    hours(24),
];

/// The gaps between the attempts to deliver one notification: after the first attempt, after the second, and so on. After the last
/// gap's attempt the provider gives up.
pub fn gaps(channel: ChannelId) -> &'static [Duration] {
    match channel {
        ChannelId::Wechat => &WECHAT,
        ChannelId::Alipay => &ALIPAY,
        ChannelId::Webhook => &WEBHOOK,
    }
}

/// How long the provider waits for an answer; a later one counts as none.
pub fn answer_limit(channel: ChannelId) -> Duration {
    match channel {
        ChannelId::Wechat | ChannelId::Alipay => seconds(5),
        ChannelId::Webhook => seconds(15),
    }
}

/// Whether an answer is the exact form after which the provider sends no more.
pub fn acknowledges(channel: ChannelId, status: u16, body: &[u8]) -> bool {
    match channel {
        // The status decides: 200 with a body that says FAIL counts as received.
        ChannelId::Wechat => matches!(status, 200 | 204),
        ChannelId::Alipay => status == 200 && body == b"success",
        ChannelId::Webhook => (200..300).contains(&status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedules_add_up_to_what_the_providers_state() {
        let total = |channel| gaps(channel).iter().sum::<Duration>();
        assert_eq!(total(ChannelId::Wechat), seconds(86_640));
        assert_eq!(total(ChannelId::Alipay), hours(24) + minutes(24));
        assert_eq!(total(ChannelId::Webhook), hours(75) + minutes(35) + seconds(5));
    }

    #[test]
    fn only_the_exact_form_counts_as_received() {
        for (channel, status, body, expected) in [
            (ChannelId::Wechat, 200, "", true),
            (ChannelId::Wechat, 204, "", true),
            (ChannelId::Wechat, 200, r#"{"code":"FAIL"}"#, true),
            (ChannelId::Wechat, 201, "", false),
            (ChannelId::Wechat, 302, "", false),
            (ChannelId::Wechat, 500, r#"{"code":"SUCCESS"}"#, false),
            (ChannelId::Alipay, 200, "success", true),
            (ChannelId::Alipay, 200, "success\n", false),
            (ChannelId::Alipay, 200, "SUCCESS", false),
            (ChannelId::Alipay, 200, "\"success\"", false),
            (ChannelId::Alipay, 500, "success", false),
            (ChannelId::Webhook, 202, "whatever", true),
            (ChannelId::Webhook, 204, "", true),
            (ChannelId::Webhook, 303, "", false),
            (ChannelId::Webhook, 410, "", false),
        ] {
            assert_eq!(
                acknowledges(channel, status, body.as_bytes()),
                expected,
                "{channel} {status} {body:?}"
            );
        }
    }
}
