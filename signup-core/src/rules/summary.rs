//! The summaries of members: choosing them, and the notice that rests between two mails.

use jiff::Timestamp;

use super::recipient::id_of;
use super::{Decision, claim_with};
use crate::id::{NoticeId, OrganizationId, PersonId};
use crate::link::Link;
use crate::mail::{Mail, MailContent};
use crate::notice::{Notice, NoticeCause};
use crate::opt_out::Subscription;
use crate::secret::Secret;
use crate::store::{ChangeSet, Refusal, Requirement, Unique};
use crate::summary::{Summary, SummaryMail};

/// Returns the id of the notice for the summaries of a member.
pub(crate) fn summary_id(organization: OrganizationId, person: PersonId) -> NoticeId {
    id_of(&format!("{organization}\nsummary {person}"))
}

/// Returns the notice of a member who wants summaries from now on.
pub(super) fn wish(organization: OrganizationId, person: PersonId, now: Timestamp) -> Notice {
    let cause = NoticeCause::Summary(Summary::new(person, now));
    let notice = Notice::new(summary_id(organization, person), organization, None, cause, now);
    Notice { due_at: None, ..notice }
}

/// Lets a member get summaries, or not. `present` is the notice of the member.
pub(crate) fn choose_summary(
    (organization, person): (OrganizationId, PersonId),
    present: Option<Notice>,
    is_on: bool,
    now: Timestamp,
) -> Decision<()> {
    let mut change = ChangeSet::default();
    match present {
        None if is_on => {
            let id = summary_id(organization, person);
            change.requires.push(Requirement::Absent { unique: Unique::Notice(organization, id), now });
            change.insert(wish(organization, person, now));
        }
        Some(notice) if !is_on => change.remove(notice),
        _ => {}
    }
    Decision::unrecorded((), change)
        .again_after(|refusal| matches!(refusal, Refusal::Changed(_) | Refusal::Taken(_)))
}

/// Removes the notice of a member whose membership ends in `decision`.
pub(crate) fn end_summary<T>(mut decision: Decision<T>, present: Option<Notice>) -> Decision<T> {
    if let Some(notice) = present {
        decision.change.remove(notice);
    }
    decision
}

/// Claims the notice of a member. The outcome is the mail to send, or `None` if nothing happened: then the notice rests until the
/// next moment. The mail has a link with this `secret`, which turns the summaries off.
pub(crate) fn claim_summary(
    notice: &Notice,
    mail: SummaryMail,
    secret: Secret,
    now: Timestamp,
) -> Decision<Option<Mail>> {
    let Some(event) = mail.events.iter().find(|found| found.has_news()).map(|found| found.event.id) else {
        let mut change = ChangeSet::default();
        change.replace(notice.clone(), rested(notice, Summary::last_moment(now)));
        return Decision::unrecorded(None, change);
    };
    let path = (notice.organization, event);
    let link = Link::new(secret.digest(), path, mail.person.email.clone(), Link::expiry(now, now));
    let link = Link { unsubscribes_from: Some(Subscription::Summaries), ..link };
    let content = MailContent::Summary(Box::new(mail));
    claim_with(notice, Some((content, Some((secret, link)))), now)
}

/// Returns the notice after a summary of the time until `until`: it rests until the next moment.
pub(crate) fn rested(notice: &Notice, until: Timestamp) -> Notice {
    let mut cause = notice.cause.clone();
    if let NoticeCause::Summary(summary) = &mut cause {
        summary.since = summary.since.max(until);
    }
    let version = notice.version + 1;
    Notice { cause, version, due_at: None, attempts: 0, failure: None, last_reason: None, ..notice.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::notice::MailFailure;
    use crate::summary::EventSummary;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn of_member() -> Notice {
        wish(records::organization_id(1), PersonId::new(records::uuid(1)), NOW)
    }

    fn mail(joined: u32) -> SummaryMail {
        let event = EventSummary { joined, ..EventSummary::new(records::event(1, 1)) };
        let (organization, person) = (records::organization(1), records::person(1));
        SummaryMail {
            organization,
            person,
            until: Summary::last_moment(before()),
            late: vec![],
            events: vec![event],
        }
    }

    #[test]
    fn a_choice_is_a_notice() {
        let member = (records::organization_id(1), PersonId::new(records::uuid(1)));
        let choose = |present, is_on| lines(&choose_summary(member, present, is_on, NOW)).len();
        assert_eq!(choose(None, true), 2, "absent, and inserted");
        assert_eq!(choose(Some(of_member()), false), 2, "unchanged, and removed");
        assert_eq!((choose(Some(of_member()), true), choose(None, false)), (0, 0));
    }

    #[test]
    fn a_notice_rests_until_six_and_is_mailed_only_if_something_happened() {
        let notice = of_member();
        assert_eq!((notice.due_at, notice.reminder_due_at()), (None, "1970-01-01T06:00:00Z".parse().ok()));
        let moment = Summary::last_moment(before());
        let decision = claim_summary(&notice, mail(0), records::secret(1), before());
        assert_eq!(decision.outcome, None);
        let rested = rested(&notice, moment);
        assert_eq!(rested.reminder_due_at(), Some(Summary::next_moment(before())));
        let mail = claim_summary(&notice, mail(1), records::secret(1), before()).outcome.unwrap();
        assert_eq!((mail.recipient().as_str(), mail.notice.attempts), ("Person1@example.org", 1));
        assert_eq!(mail.notice.reminder_due_at(), None, "it is claimed");
    }

    #[test]
    fn a_summary_that_fails_is_followed_by_one_of_the_whole_time() {
        let mail = claim_summary(&of_member(), mail(1), records::secret(1), before()).outcome.unwrap();
        let failed = mail.notice.after_failure(MailFailure::Permanent, "550", before());
        assert_eq!(failed.reminder_due_at(), Some(Summary::next_moment(before())));
        assert_eq!(failed.cause, of_member().cause, "the time since the last one that arrived");
    }
}
