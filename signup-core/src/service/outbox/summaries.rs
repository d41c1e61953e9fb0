//! The summaries of members: what happened since the last one, read from the activity, the outbox and the shifts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use jiff::Timestamp;

use super::Outbox;
use crate::activity::{Activity, ActivityType};
use crate::error::Result;
use crate::event::Event;
use crate::id::{EventId, OrganizationId};
use crate::mail::Mail;
use crate::notice::{Notice, NoticeFailure};
use crate::organization::Organization;
use crate::receipt::EventWithShifts;
use crate::rules::{self, Decision};
use crate::secret::Secret;
use crate::store::{ActivityQuery, CoverageQuery, NoticeQuery, RecordKey, SignupInFull};
use crate::summary::{EventSummary, Summary, SummaryMail};

/// What a summary says of each event.
type Events = BTreeMap<EventId, EventSummary>;

impl Outbox {
    /// Reads what happened since the last summary of a member, and claims the notice. The notice of a person who is no member any
    /// more is removed.
    pub(super) async fn claim_summary(
        &self,
        notice: &Notice,
        Summary { person, since }: Summary,
        now: Timestamp,
    ) -> Result<Decision<Option<Mail>>> {
        let (store, owner) = (&self.shared.store, notice.organization);
        let members = store.members(owner).await?;
        let member = members.into_iter().find(|(membership, _)| membership.person == person);
        let organization = store.get::<Organization>(RecordKey::Organization(owner)).await?;
        let Some(((_, person), organization)) = member.zip(organization) else {
            return Ok(rules::claim_with(notice, None, now));
        };
        let until = Summary::last_moment(now);
        // What was decided just before the moment may be committed after it.
        let (from, to) = (since.max(until - Summary::LONGEST) - Summary::SETTLED, until - Summary::SETTLED);
        let (mut events, late) = self.happened(owner, from, to).await?;
        if !events.is_empty() {
            self.add_short(owner, &mut events, now).await?;
        }
        let mut events: Vec<_> = events.into_values().collect();
        events.sort_by_key(|found| (found.event.dates.starts_at(), found.event.id));
        let mail = SummaryMail { late, events, ..SummaryMail::new(organization, person, until) };
        Ok(rules::claim_summary(notice, mail, Secret::generate(), now))
    }

    /// Reads the sign-ups, the cancellations and the failed mails of a time, by event, and the late cancellations.
    async fn happened(
        &self,
        owner: OrganizationId,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<(Events, Vec<SignupInFull>)> {
        let store = &self.shared.store;
        let (mut events, mut late) = (Events::new(), vec![]);
        for activity in self.signup_activity(owner, since, until).await? {
            let Some(found) = self.of_event(owner, &mut events, activity.subject.event).await? else {
                continue;
            };
            if activity.kind != ActivityType::SIGNUP_CANCELLED {
                found.joined += 1;
                continue;
            }
            found.cancelled += 1;
            let Some(id) = activity.subject.signup else { continue };
            late.extend(store.signup_in_full(owner, id).await?.filter(is_late));
        }
        let failed = store.notices(NoticeQuery::FailedOf(owner, None), u32::MAX).await?;
        for notice in failed {
            let is_new = |failure: &NoticeFailure| failure.at >= since && failure.at < until;
            let Some(email) =
                notice.cause.volunteer().filter(|_| notice.failure.as_ref().is_some_and(is_new))
            else {
                continue;
            };
            if let Some(found) = self.of_event(owner, &mut events, notice.event).await?
                && !found.undelivered.contains(email)
            {
                found.undelivered.push(email.clone());
            }
        }
        late.sort_by_key(|found| (found.shift.interval().start, found.signup.id));
        Ok((events, late))
    }

    /// Lists the activity of a time that tells of a new or of a cancelled sign-up.
    async fn signup_activity(
        &self,
        owner: OrganizationId,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Activity>> {
        let kinds =
            [ActivityType::SIGNUP_CREATED, ActivityType::SIGNUP_WAITLISTED, ActivityType::SIGNUP_CANCELLED];
        let mut query = ActivityQuery::new().limit(ActivityQuery::MAX_LIMIT);
        let mut found = vec![];
        loop {
            let page = self.shared.store.activity(owner, &query).await?;
            let is_last = page.items.last().is_none_or(|last| last.created_at < since);
            let is_of_time =
                |activity: &Activity| activity.created_at >= since && activity.created_at < until;
            let wanted =
                page.items.into_iter().filter(is_of_time).filter(|found| kinds.contains(&found.kind));
            found.extend(wanted);
            match page.next {
                Some(next) if !is_last => query = query.at(next),
                _ => return Ok(found),
            }
        }
    }

    /// Returns what the summary says of an event. `None` if the event is deleted.
    async fn of_event<'e>(
        &self,
        owner: OrganizationId,
        events: &'e mut Events,
        event: Option<EventId>,
    ) -> Result<Option<&'e mut EventSummary>> {
        let Some(id) = event else { return Ok(None) };
        match events.entry(id) {
            Entry::Occupied(found) => Ok(Some(found.into_mut())),
            Entry::Vacant(place) => {
                let event = self.shared.store.get::<Event>(RecordKey::Event(owner, id)).await?;
                Ok(event.map(|event| place.insert(EventSummary::new(event))))
            }
        }
    }

    /// Adds the shifts of the next days that have places left.
    async fn add_short(&self, owner: OrganizationId, events: &mut Events, now: Timestamp) -> Result<()> {
        let until = now + Summary::AHEAD;
        let mut query = CoverageQuery::new().covered(false).limit(CoverageQuery::MAX_LIMIT).events(now);
        loop {
            let page = self.shared.store.events_with_shifts(owner, &query).await?;
            for EventWithShifts { event, shifts, .. } in page.items {
                if event.dates.starts_at() > until {
                    return Ok(());
                }
                let is_short = |start: Timestamp, room: u32| start > now && start <= until && room > 0;
                let short =
                    shifts.into_iter().filter(|shift| is_short(shift.interval().start, shift.room(now)));
                let short: Vec<_> = short.collect();
                if !short.is_empty() {
                    events.entry(event.id).or_insert_with(|| EventSummary::new(event)).short = short;
                }
            }
            match page.next {
                Some(next) => query = query.at(next),
                None => return Ok(()),
            }
        }
    }
}

/// Returns whether a place was cancelled shortly before its shift.
fn is_late(found: &SignupInFull) -> bool {
    let start = found.shift.interval().start;
    let is_shortly_before = |at: Timestamp| at < start && start.duration_since(at) <= Summary::LATE;
    !found.signup.has_only_waited() && found.signup.cancelled_at().is_some_and(is_shortly_before)
}
