//! What each rule names as activity.

use super::super::facts::*;
use super::super::*;
use super::*;
use crate::activity::TypeFilter;
use crate::conformance::records;
use crate::event::EventDates;
use crate::hours::Hours;
use crate::id::{QuestionId, ShiftId, SignupId};
use crate::input::*;
use crate::occupancy::{Capacity, Minimum};
use crate::plan::Plan;
use crate::question::QuestionKind;
use crate::shift::CancelledBy;
use crate::signup::Signup;
use crate::store::{EventInFull, Record, SignupInFull, Write};
use crate::webhook::{Attempt, Disabled, SigningSecret};

fn patch(full: EventInFull, patch: EventPatch) -> Vec<String> {
    named(&patch_event(full, patch, None, limits(), None, DELAY, before()).unwrap())
}

fn drive() -> NewEvent {
    NewEvent::new("Food drive".parse().unwrap(), jiff::civil::date(2027, 6, 5), "UTC".parse().unwrap())
}

fn ids() -> EventIds {
    EventIds::generate(before(), 2, 1)
}

#[test]
fn a_new_event_is_one_activity_whatever_it_has() {
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
    let new = drive().published().shift(shift.clone()).shift(shift);
    let created = create_event(records::organization_id(1), limits(), new, None, ids(), before()).unwrap();
    assert_eq!(named(&created), ["event.created"]);
    let copy = DuplicateEvent::on(jiff::civil::date(2027, 6, 6));
    assert_eq!(named(&duplicate_event(full(), copy, ids(), before()).unwrap()), ["event.created"]);
}

#[test]
fn a_patch_names_the_fields_that_changed_and_then_the_publication() {
    let new = EventPatch::new;
    let draft = || full_with(|event, _| event.is_published = false);
    let title = || new().title("Winter drive".parse().unwrap());
    assert_eq!(patch(full(), new()), [""; 0]);
    assert_eq!(patch(full(), new().title("Food drive".parse().unwrap())), [""; 0], "the same title");
    assert_eq!(patch(full(), title()), ["event.updated title"]);
    assert_eq!(patch(draft(), new().published(true)), ["event.published"]);
    assert_eq!(patch(full(), new().published(false)), ["event.unpublished"]);
    assert_eq!(patch(draft(), title().published(true)), ["event.updated title", "event.published"]);
    let data = new().location_data(r#"{"floor": 3}"#.parse().unwrap());
    assert_eq!(patch(full(), data), ["event.updated location_data"]);
    // The last day moves with the first.
    let long = full_with(|event, _| event.dates.last = "2027-06-06".parse().ok());
    let moved = new().start_date(jiff::civil::date(2027, 6, 7));
    assert_eq!(patch(long, moved), ["event.updated start_date end_date"]);
    assert_eq!(
        patch(full(), new().zone("UTC".parse().unwrap())),
        ["event.updated timezone"],
        "the dates stay"
    );
    let same = new().end_date(jiff::civil::date(2027, 6, 6)).without_mail();
    let long = full_with(|event, _| event.dates.last = "2027-06-06".parse().ok());
    assert_eq!(patch(long, same), [""; 0], "the same last day, and no mail");
    let place = full_with(|event, _| event.location = "Hall".parse().ok());
    assert_eq!(
        patch(place, new().clear_location().clear_theme()),
        ["event.updated location"],
        "no theme before"
    );
    let everything = new()
        .waiting_list(true)
        .signups_close_at("2027-06-04T12:00".parse().unwrap())
        .signups_open_at("2027-03-01T18:00".parse().unwrap())
        .external_id("drive-7".parse().unwrap())
        .badge_label("Families".parse().unwrap())
        .theme(crate::event::Theme::Midnight)
        .reminders(false)
        .language(crate::language::Language::De)
        .zone("UTC".parse().unwrap())
        .end_date(jiff::civil::date(2027, 6, 6))
        .longitude(crate::event::Longitude::new(1.0).unwrap())
        .latitude(crate::event::Latitude::new(1.0).unwrap())
        .online(true)
        .location("Hall".parse().unwrap())
        .instructions("Ring twice.".parse().unwrap())
        .description("Bring gloves".parse().unwrap());
    let names = "event.updated description instructions location is_virtual location_lat location_lng end_date timezone \
                 language reminders_enabled theme badge_label external_id signups_open_at signups_close_at waitlist_enabled";
    assert_eq!(patch(full(), everything), [names]);
}

#[test]
fn the_end_of_an_event_is_one_activity_whatever_it_cancels() {
    let filled = || full_with(|_, shifts| shifts[0].occupancy.filled = 5);
    let cancel = |full| cancel_event(full, Cancellation::new(), None, before()).unwrap();
    assert_eq!(named(&cancel(filled())), ["event.cancelled"]);
    let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
    assert_eq!(named(&cancel(cancelled)), [""; 0], "cancelled already");
    assert_eq!(named(&delete_event(&full(), before()).unwrap()), ["event.deleted"]);
    let deleted = Event { deleted_at: Some(before()), ..full().event };
    assert_eq!(named(&restore_event(deleted, None, limits(), before())), ["event.restored"]);
}

#[test]
fn each_shift_that_is_added_changed_or_deleted_is_one_activity() {
    let EventInFull { event, shifts, .. } = full();
    let new = vec![NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap()); 2];
    let ids = vec![ShiftId::new(records::uuid(20)), ShiftId::new(records::uuid(21))];
    let added = add_shifts(full(), new, ids, before()).unwrap();
    assert_eq!(named(&added), ["slot.created", "slot.created"]);
    let subjects: Vec<_> = added.activity.iter().map(|activity| activity.subject.shift).collect();
    assert_eq!(subjects, added.outcome.iter().map(|shift| Some(shift.id)).collect::<Vec<_>>());
    let patch = |patch| {
        named(&patch_shift(&event, shifts[0].clone(), ShiftFacts::default(), patch, DELAY, before()).unwrap())
    };
    assert_eq!(patch(ShiftPatch::new().clear_location()), [""; 0], "no location before");
    let everything = ShiftPatch::new()
        .external_id("packing".parse().unwrap())
        .capacity(Capacity::new(9).unwrap())
        .minimum(Minimum::new(3).unwrap())
        .hours((600, 660).try_into().unwrap())
        .location("Dock".parse().unwrap())
        .description("Bring gloves.".parse().unwrap())
        .title("Late".parse().unwrap());
    let names = "slot.updated title description location start_time end_time capacity minimum external_id";
    assert_eq!(patch(everything), [names]);
    let long = Event {
        dates: EventDates { last: "2027-06-06".parse().ok(), ..event.dates.clone() },
        ..event.clone()
    };
    let siblings = || ShiftFacts { siblings: shifts.clone(), ..ShiftFacts::default() };
    let in_long =
        |patch| named(&patch_shift(&long, shifts[0].clone(), siblings(), patch, DELAY, before()).unwrap());
    assert_eq!(in_long(ShiftPatch::new().day(2)), ["slot.updated day"], "the times move with the day");
    let night = Hours::overnight("22:00".parse().unwrap(), "12:00".parse().unwrap()).unwrap();
    assert_eq!(patch(ShiftPatch::new().hours(night)), ["slot.updated start_time ends_next_day"]);
    let cancel = DeleteShift::new().cancel_signups();
    assert_eq!(named(&delete_shift(&event, &shifts[0], cancel, None, before()).unwrap()), ["slot.deleted"]);
}

#[test]
fn each_question_that_is_added_changed_or_deleted_is_one_activity() {
    let event = full().event;
    let question = records::question(&event, 7, 3);
    let new = NewQuestion::new("Size".parse().unwrap(), QuestionKind::Text);
    let added = add_question(&event, &[], new, QuestionId::new(records::uuid(70))).unwrap();
    assert_eq!(named(&added), ["question.created"]);
    let patch = |patch| named(&patch_question(&event, question.clone(), patch).unwrap());
    assert_eq!(patch(QuestionPatch::new().required(true)), [""; 0], "required before");
    let everything = QuestionPatch::new()
        .position(0)
        .required(false)
        .kind(QuestionKind::Text)
        .label("Shirt".parse().unwrap());
    assert_eq!(patch(everything), ["question.updated label type options required position"]);
    assert_eq!(named(&delete_question(&event, &question).unwrap()), ["question.deleted"]);
}

#[test]
fn a_sign_up_is_recorded_when_it_is_made_cancelled_and_erased() {
    let EventInFull { event, mut shifts, questions, .. } = full();
    let shift = shifts.remove(0);
    let (shifts, deleted) = (vec![shift.clone()], vec![]);
    let facts = SignUpFacts { event: event.clone(), shifts, deleted, questions };
    let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
    let ids = || vec![SignupId::new(records::uuid(7))];
    let sign = |now| sign_up(&facts, &ada, &KnownPlaces::default(), ids(), now).unwrap();
    assert_eq!(named(&sign(before())), ["signup.created"]);
    assert_eq!(named(&sign(after_shifts())), [""; 0], "the shift is over");
    let signup = records::signup(&shift.shift, 3);
    let found = |signup: &Signup| {
        let owner = records::organization(1);
        SignupInFull::new(owner, event.clone(), shift.shift.clone(), signup.clone())
    };
    let (by_organizer, nobody) = (|| (CancelledBy::Organizer, None), WaitingList::default);
    let cancel =
        |signup| cancel_signup(found(signup), by_organizer(), false, None, &nobody(), before()).unwrap();
    let cancelled = cancel(&signup);
    assert_eq!(named(&cancelled), ["signup.cancelled"]);
    assert_eq!(named(&cancel(&cancelled.outcome)), [""; 0], "cancelled already");
    let erased = erase_signup(found(&signup), &nobody(), before());
    assert_eq!(named(&erased), ["signup.erased"]);
    let subject = erased.activity[0].subject;
    assert_eq!(
        (subject.event, subject.shift, subject.signup),
        (Some(event.id), Some(shift.id), Some(signup.id))
    );
}

#[test]
fn changes_of_an_organization_and_of_its_tokens_are_recorded() {
    let owner = records::organization(1);
    let update = |patch| named(&update_organization(owner.clone(), patch).unwrap());
    assert_eq!(update(OrganizationPatch::new().name(owner.name.clone())), [""; 0], "the same name");
    let contact = OrganizationPatch::new().contact("HELP@riverside.example".parse().unwrap());
    let with_contact = Organization { contact: "help@riverside.example".parse().ok(), ..owner.clone() };
    assert_eq!(
        named(&update_organization(with_contact, contact).unwrap()),
        ["organization.updated contact"],
        "its case"
    );
    let everything = OrganizationPatch::new()
        .clear_public_url()
        .clear_sport()
        .clear_privacy_url()
        .clear_contact()
        .name("Hillside".parse().unwrap());
    assert_eq!(update(everything), ["organization.updated name contact privacy_url sport public_url"]);
    assert_eq!(named(&set_plan(owner.clone(), Plan::Pro)), ["organization.updated plan"]);
    let token = records::token(1, 3);
    let revoked = revoke_token(token, before());
    assert_eq!(named(&revoked), ["token.revoked"]);
    assert_eq!(named(&revoke_token(revoked.outcome, before())), [""; 0], "revoked already");
}

#[test]
fn the_records_have_the_actor_the_time_and_ids_in_their_order() {
    let draft = full_with(|event, _| event.is_published = false);
    let event = draft.event.id;
    let edit = EventPatch::new().title("Winter drive".parse().unwrap()).published(true);
    let decision = patch_event(draft, edit, None, limits(), None, DELAY, before()).unwrap();
    let (mut change, mut next) = (ChangeSet::default(), 0);
    let new_id = || {
        next += 1;
        records::uuid(next)
    };
    record_activity(&mut change, decision.activity, &[], &Actor::System, new_id, before());
    assert_eq!(change.requires, []);
    let records = change.writes.iter().map(|write| match write {
        Write::Put { before: None, after: Record::Activity(activity) } => (**activity).clone(),
        write => panic!("{write:?}"),
    });
    let records: Vec<_> = records.collect();
    let [updated, published] = &records[..] else { panic!("{records:?}") };
    assert_eq!((updated.kind.as_str(), published.kind.as_str()), ("event.updated", "event.published"));
    assert_eq!(
        (updated.id, published.id),
        (ActivityId::new(records::uuid(1)), ActivityId::new(records::uuid(2)))
    );
    for activity in [updated, published] {
        assert_eq!((activity.subject.event, activity.created_at), (Some(event), before()));
        assert_eq!((&activity.actor, activity.organization), (&Actor::System, records::organization_id(1)));
    }
}

/// Returns the numbers of the webhooks that receive the one activity of a decision.
fn told<T>(decision: Decision<T>, webhooks: &[Webhook]) -> Vec<u128> {
    let Decision { mut change, activity, .. } = decision;
    let numbers = &mut (100..);
    let new_id = || records::uuid(numbers.next().unwrap());
    let before_activity = change.writes.len();
    record_activity(&mut change, activity, webhooks, &Actor::System, new_id, before());
    let Some(Write::Put { before: None, after: Record::Activity(activity) }) = change.writes.last() else {
        panic!("{change:?}")
    };
    let deliveries = &change.writes[before_activity..change.writes.len() - 1];
    let webhooks = deliveries.iter().map(|write| match write {
        Write::Put { before: None, after: Record::Delivery(delivery) } => {
            let (id, activity) = (delivery.id, (**activity).clone());
            assert_eq!(**delivery, Delivery::new(id, delivery.webhook, activity, before()));
            delivery.webhook.uuid().as_u128() & 0xffff
        }
        write => panic!("{write:?}"),
    });
    webhooks.collect()
}

/// Returns the webhook `number`, which selects `types`.
fn webhook(number: u32, types: &[&str]) -> Webhook {
    let types = types.iter().map(|filter| filter.parse().unwrap()).collect();
    Webhook { types, ..records::webhook(1, number) }
}

fn disabled(webhook: Webhook) -> Webhook {
    let disabled = Some(Disabled { at: before(), reason: None });
    Webhook { disabled, ..webhook }
}

#[test]
fn an_activity_is_delivered_to_each_enabled_webhook_that_selects_its_type() {
    let webhooks = [
        webhook(1, &["*"]),
        webhook(2, &["event.*"]),
        webhook(3, &["slot.*", "event.deleted"]),
        webhook(4, &["event.created", "signup.*"]),
        disabled(webhook(5, &["*"])),
        webhook(6, &["event.deleted", "event.*"]),
    ];
    assert_eq!(told(delete_event(&full(), before()).unwrap(), &webhooks), [1, 2, 3, 6], "each once");
    let revoked = revoke_token(records::token(1, 3), before());
    assert_eq!(told(revoked, &webhooks), [1]);
}

#[test]
fn a_webhook_is_not_told_that_it_was_created_disabled_or_deleted() {
    let owner = || records::organization(1);
    let (this, other) = (webhook(1, &["*"]), webhook(2, &["webhook.*"]));
    let new = NewWebhook::new(this.url.clone());
    let created = create_webhook(owner(), new, this.id, this.secret.clone().unwrap(), before());
    assert_eq!(told(created, std::slice::from_ref(&other)), [2]);
    let webhooks = [this.clone(), other];
    assert_eq!(told(delete_webhook(owner(), this.clone()), &webhooks), [2]);
    let delivery = records::delivery(&this, 9).claimed(before());
    let gone = report_attempt(owner(), this.clone(), delivery, &this, &Attempt::Gone, 0.0, before());
    assert_eq!(told(gone, &webhooks), [2]);
    // Of its other activity it is.
    assert_eq!(told(rotate_secret(this, SigningSecret::generate(), before()), &webhooks), [1, 2]);
}

#[test]
fn a_webhook_is_told_of_its_change_as_it_is_afterwards() {
    let patch = |webhook: &Webhook, patch| {
        let patched = patch_webhook(records::organization(1), webhook.clone(), patch, before());
        told(patched, std::slice::from_ref(webhook))
    };
    let (new, every) = (WebhookPatch::new, webhook(1, &["*"]));
    assert_eq!(patch(&every, new().clear_description()), [1]);
    assert_eq!(patch(&every, new().enabled(false)), [0; 0]);
    assert_eq!(patch(&disabled(every.clone()), new().enabled(true)), [1]);
    assert_eq!(patch(&disabled(every.clone()), new().clear_description()), [0; 0]);
    assert_eq!(patch(&every, new().types(vec!["event.*".parse().unwrap()])), [0; 0]);
    assert_eq!(patch(&webhook(1, &["event.*"]), new().types(vec![TypeFilter::every()])), [1]);
}
