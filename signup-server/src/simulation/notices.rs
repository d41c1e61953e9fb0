//! Notices: the attempts to send each mail, and what is due.

use std::collections::BTreeSet;

use signup_core::{Delivery, Mail, Notice, Secret, Timestamp, Webhook};

use super::ledger::Ledger;

/// A notice, and the attempts to send its mail.
#[derive(Debug)]
pub(super) struct NoticeHistory {
    pub(super) notice: Notice,
    /// Whether an attempt was claimed, and neither its success nor a refusal of its mail was reported.
    is_claimed: bool,
    /// The version of the notice when it was last claimed.
    claimed: u32,
    /// Whether an attempt since the last mail that was reported has no report.
    follows_unreported: bool,
    /// The versions of the attempts without a report, whose mails may have arrived, or may yet arrive.
    unreported: BTreeSet<u32>,
    /// Whether a volunteer signed up since the last claim.
    is_asked: bool,
    /// Whether the mail of the attempts since the last report may repeat what was told, because a volunteer signed up.
    pub(super) was_asked: bool,
}

impl NoticeHistory {
    /// Returns whether the attempt of this version has no report.
    pub(super) fn is_unreported(&self, version: u32) -> bool {
        self.unreported.contains(&version)
    }

    /// Returns whether the mail of the attempt of this version may repeat what others have told: it has no report, or follows such
    /// an attempt.
    pub(super) fn may_be_repeated(&self, version: u32) -> bool {
        self.follows_unreported || self.is_unreported(version)
    }
}

impl Ledger {
    /// Returns the notice of a mail; `None` if its address was erased meanwhile. A sign-up that follows makes it again, under the
    /// same id.
    pub(super) fn notice_of(&self, mail: &Mail) -> Option<&NoticeHistory> {
        let is_erased = |secret: &Secret| self.erased_links.contains(&secret.digest());
        let is_there = !mail.secret.as_ref().is_some_and(is_erased);
        self.notices.get(&mail.notice.id).filter(|_| is_there)
    }

    /// Notes what a commit has made of a notice. `is_sign_up` says whether a volunteer signs up.
    pub(super) fn note_notice(&mut self, after: &Notice, is_sign_up: bool) {
        let new = || NoticeHistory {
            notice: after.clone(),
            is_claimed: false,
            claimed: 0,
            follows_unreported: false,
            unreported: BTreeSet::new(),
            is_asked: false,
            was_asked: false,
        };
        let history = self.notices.entry(after.id).or_insert_with(new);
        let before = std::mem::replace(&mut history.notice, after.clone());
        let sent = |notice: &Notice| notice.recipient().map_or(0, |recipient| recipient.sent);
        history.is_asked |= is_sign_up;
        let claimed_at = |notice: &Notice| notice.recipient().and_then(|recipient| recipient.claimed_at);
        // A reminder of a recipient that failed begins at the first attempt again.
        let is_claim = after.attempts > before.attempts
            || claimed_at(after).is_some() && claimed_at(after) != claimed_at(&before);
        let is_failure = after.reason().is_some() && after.reason() != before.reason();
        if sent(after) > sent(&before) {
            (history.is_claimed, history.follows_unreported, history.was_asked) = (false, false, false);
        } else if is_failure {
            history.is_claimed &= !after.reason().is_some_and(|reason| reason.starts_with("refused"));
        } else if is_claim {
            if std::mem::replace(&mut history.is_claimed, true) {
                history.follows_unreported = true;
                history.unreported.insert(history.claimed);
            }
            history.claimed = after.version;
            history.was_asked |= std::mem::take(&mut history.is_asked);
        } else if after.attempts == 0 && std::mem::take(&mut history.is_claimed) {
            // There is nothing more to say, or the attempts begin anew.
            history.follows_unreported = true;
            history.unreported.insert(history.claimed);
        }
    }

    /// Returns whether a notice has failed for good.
    pub(super) fn has_failed(&self) -> bool {
        self.notices.values().any(|history| history.notice.failure.is_some())
    }

    /// Returns the notices and deliveries that are due, for a failure.
    pub(super) fn due_in_words(&self, now: Timestamp) -> String {
        let notices = self.notices.values().map(|history| &history.notice);
        let notices = notices.filter(|notice| notice.due_at.is_some_and(|due_at| due_at <= now));
        let notices =
            notices.map(|notice| format!("{} {} {:?}", notice.cause.name(), notice.id, notice.reason()));
        let deliveries = self.deliveries.values().filter(|delivery| delivery.is_due(now));
        let deliveries = deliveries.map(|delivery| format!("{} {}", delivery.activity.kind, delivery.id));
        notices.chain(deliveries).collect::<Vec<_>>().join("; ")
    }

    /// Returns when the next notice or delivery is due.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let due_at = |notice: &Notice| notice.due_at.or(notice.reminder_due_at());
        let notices = self.notices.values().filter_map(|history| due_at(&history.notice));
        let is_enabled = |delivery: &&Delivery| {
            self.webhooks.get(&delivery.webhook).is_some_and(Webhook::is_enabled) || delivery.is_test()
        };
        let deliveries = self.deliveries.values().filter(is_enabled).filter_map(Delivery::due_at);
        notices.chain(deliveries).min()
    }
}
