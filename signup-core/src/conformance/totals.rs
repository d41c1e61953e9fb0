//! Totals: which records count, when, and that a total is compared with its bound at the time of the commit.

use std::sync::Arc;

use super::family::with_family;
use super::records::*;
use crate::*;

/// Returns the number of records that count at `now`. Asserts that the total is below exactly the greater bounds, and at least as
/// great as exactly the others, if it is stored.
pub(super) async fn count(store: &dyn Store, total: &Total, now: Timestamp) -> u32 {
    let check_below = |bound| check(store, vec![Requirement::Below { total: total.clone(), bound, now }]);
    let Err(Refusal::NotBelow { total: found, count }) = check_below(0).await else {
        panic!("no number is below 0")
    };
    assert_eq!(found, *total);
    assert_eq!(check_below(count).await, Err(Refusal::NotBelow { total: found, count }), "{total:?}");
    assert_eq!(check_below(count + 1).await, Ok(()), "{total:?}");
    if total.stored_with().is_some() {
        let at_least = |bound| check(store, vec![Requirement::AtLeast { total: total.clone(), bound, now }]);
        assert_eq!(at_least(count).await, Ok(()), "{total:?}");
        let refused = Refusal::NotAtLeast { total: total.clone(), count };
        assert_eq!(at_least(count + 1).await, Err(refused), "{total:?}");
    }
    count
}

/// Inserts, puts and removals move records between totals. The places on a closed shift are free, and nobody waits for one. A
/// cancelled sign-up and a sign-up for a deleted or closed shift keep their answers. An edit of a shift keeps `filled`, which may
/// exceed the capacity, and `waitlisted`.
pub async fn totals_follow_each_write(store: Arc<dyn Store>) {
    let owner = organization(1);
    let event = event(1, 1);
    let draft = Event { is_published: false, ..event.clone() };
    let shift = shift(&event, 1, 5);
    let both = Signup { answers: vec![answer(2, "S"), answer(1, "M")], ..signup(&shift, 1) };
    let one = Signup { answers: vec![answer(1, "S")], ..signup(&shift, 2) };
    let of_same_address =
        Signup { name: "Bob".parse().unwrap(), email: one.email.clone(), ..signup(&shift, 3) };
    let third = waiting(of_same_address);
    let promoted = third.clone().promoted(at(5));
    let waits_again = Signup { state: SignupState::Waitlisted, version: 3, ..promoted.clone() };
    let only_one = Signup { answers: vec![answer(1, "M")], version: 2, ..both.clone() };
    let gone = cancelled(only_one.clone(), at(5));
    let renewed = Signup { repeated_at: Some(at(6)), version: 4, ..gone.clone() };
    let occupancy = Occupancy { capacity: Capacity::new(1).unwrap(), filled: 77, waitlisted: 77 };
    let edited = Shift { occupancy, ..next_shift(&shift) };
    let missing = Shift { deleted_at: Some(at(6)), ..next_shift(&edited) };
    let closed = closed(&missing, at(7), CancelledBy::ShiftDeletion);
    let cancelled_event = Event { cancelled_at: Some(at(8)), ..next(&event) };
    let totals = [
        Total::Organizations,
        Total::ActiveEvents(owner.id),
        Total::Filled(owner.id, shift.id),
        Total::Answers(owner.id, event.id, QuestionId::new(uuid(1))),
        Total::Answers(owner.id, event.id, QuestionId::new(uuid(2))),
        Total::PlacesOf(owner.id, shift.id, "ada1@example.org".to_owned()),
        Total::PlacesOf(owner.id, shift.id, "ada2@example.org".to_owned()),
        Total::Waiting(owner.id, shift.id),
    ];
    let plan = Organization { plan: Plan::Pro, version: 2, ..owner.clone() };
    let steps = [
        (None, [0, 0, 0, 0, 0, 0, 0, 0], "nothing is read_all, so every total is 0"),
        (Some(Write::insert(owner.clone())), [1, 0, 0, 0, 0, 0, 0, 0], "an organization"),
        (Some(put(owner, plan)), [1, 0, 0, 0, 0, 0, 0, 0], "a change of the organization"),
        (Some(Write::insert(organization(2))), [2, 0, 0, 0, 0, 0, 0, 0], "another organization"),
        (Some(Write::insert(draft.clone())), [2, 0, 0, 0, 0, 0, 0, 0], "a draft"),
        (Some(put(draft, event.clone())), [2, 1, 0, 0, 0, 0, 0, 0], "a published event"),
        (Some(Write::insert(shift.clone())), [2, 1, 0, 0, 0, 0, 0, 0], "a shift without sign-ups"),
        (Some(Write::insert(both.clone())), [2, 1, 1, 1, 1, 1, 0, 0], "a sign-up with two answers"),
        (Some(Write::insert(one.clone())), [2, 1, 2, 2, 1, 1, 1, 0], "a sign-up with one answer"),
        (Some(put(both, only_one.clone())), [2, 1, 2, 2, 0, 1, 1, 0], "an answer is removed"),
        (
            Some(Write::insert(third.clone())),
            [2, 1, 2, 2, 0, 1, 2, 1],
            "a sign-up that waits, of the address of another",
        ),
        (Some(put(shift, edited.clone())), [2, 1, 2, 2, 0, 1, 2, 1], "a shift becomes over-full"),
        (Some(put(only_one, gone.clone())), [2, 1, 1, 2, 0, 0, 2, 1], "a cancellation"),
        (Some(put(third, promoted.clone())), [2, 1, 2, 2, 0, 0, 2, 0], "a promotion"),
        (Some(put(promoted, waits_again.clone())), [2, 1, 1, 2, 0, 0, 2, 1], "a sign-up that waits again"),
        (Some(put(gone, renewed.clone())), [2, 1, 1, 2, 0, 0, 2, 1], "a change of a cancelled sign-up"),
        (Some(Write::Remove(renewed.into())), [2, 1, 1, 1, 0, 0, 2, 1], "a cancelled sign-up is removed"),
        (Some(put(edited, missing.clone())), [2, 1, 1, 1, 0, 0, 2, 1], "a deleted shift keeps its sign-ups"),
        (Some(put(missing, closed)), [2, 1, 0, 1, 0, 0, 0, 0], "a closed shift"),
        (
            Some(Write::Remove(one.into())),
            [2, 1, 0, 0, 0, 0, 0, 0],
            "a sign-up for a closed shift is removed",
        ),
        (Some(Write::Remove(waits_again.into())), [2, 1, 0, 0, 0, 0, 0, 0], "so is one that waited"),
        (Some(put(event, cancelled_event)), [2, 0, 0, 0, 0, 0, 0, 0], "a cancelled event"),
    ];
    for (change, expected, what) in steps {
        write(&*store, change.into_iter().collect()).await;
        for (total, expected) in totals.iter().zip(expected) {
            assert_eq!(count(&*store, total, at(0)).await, expected, "{what}: {total:?}");
        }
        let key = RecordKey::Shift(organization_id(1), ShiftId::new(uuid(1)));
        if let Some(Record::Shift(shift)) = store.record(&key, Deleted::Included).await.unwrap() {
            let Occupancy { filled, waitlisted, .. } = shift.occupancy;
            assert_eq!((filled, waitlisted), (expected[2], expected[7]), "{what}");
        }
    }
}

/// A put with another shift moves a sign-up: its place, its totals and the lists follow, and it outlives its former shift.
pub async fn a_sign_up_moves_to_another_shift(store: Arc<dyn Store>) {
    let (event, from) = with_shift(&store, 5).await;
    let to = shift(&event, 2, 5);
    let (before, stays) = (signup(&from, 1), signup(&from, 2));
    let after = Signup { shift: to.id, changed_at: Some(at(5)), version: 2, ..before.clone() };
    let records: [Record; 3] = [to.clone().into(), before.clone().into(), stays.clone().into()];
    commit(&*store, insert(records)).await;
    write(&*store, vec![put(before.clone(), after.clone())]).await;
    assert_eq!(stored(&*store, &after).await, Some(after.clone()));
    let owner = event.organization;
    for (shift, expected) in [(&from, vec![stays]), (&to, vec![after.clone()])] {
        let query = SignupQuery::new().of_shift(shift.id);
        assert_eq!(store.signups(owner, &query).await.unwrap().items, expected);
        let of_address = Total::PlacesOf(owner, shift.id, before.email.key().to_owned());
        let is_there = u32::from(shift.id == to.id);
        assert_eq!(count(&*store, &of_address, at(9)).await, is_there);
        assert_eq!(count(&*store, &Total::Filled(owner, shift.id), at(9)).await, 1);
        let place = Unique::place(owner, shift.id, &before.email, &before.name);
        let holder = store.holder(&place, Deleted::Excluded).await.unwrap();
        assert_eq!(holder, (is_there > 0).then(|| after.clone().into()));
    }
    write(&*store, vec![Write::Remove(from.into())]).await;
    assert_eq!(stored(&*store, &after).await, Some(after));
}

/// A published event counts until the end of its last day at the time of the requirement, unless it is cancelled or deleted.
pub async fn an_active_event_counts_until_its_end(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let records: [Record; 3] = [organization(1).into(), organization(2).into(), event.clone().into()];
    commit(&*store, insert(records)).await;
    commit(&*store, insert([super::records::event(2, 2)])).await;
    let last = Some("2027-06-06".parse().unwrap());
    let longer = Event { dates: EventDates { last, ..event.dates.clone() }, ..event.clone() };
    let draft = Event { is_published: false, ..event.clone() };
    let (first_end, end) = (event.dates.ends_at(), longer.dates.ends_at());
    let times = [at(0), first_end - SignedDuration::from_secs(1), first_end, end];
    let steps = [
        (event.clone(), [1, 1, 0, 0], "a published event is active until its end"),
        (longer.clone(), [1, 1, 1, 0], "an event is active until its new end"),
        (draft.clone(), [0, 0, 0, 0], "a draft is not active"),
        (longer.clone(), [1, 1, 1, 0], "it is published again"),
        (deleted(&longer, at(5)), [0, 0, 0, 0], "a deleted event is not active"),
        (event.clone(), [1, 1, 0, 0], "it is restored with other days"),
        (deleted(&draft, at(5)), [0, 0, 0, 0], "a deleted draft is not active"),
        (draft, [0, 0, 0, 0], "it is restored"),
        (Event { cancelled_at: Some(at(5)), ..longer }, [0, 0, 0, 0], "a cancelled event is not active"),
    ];
    let mut before = event;
    for (after, expected, what) in steps {
        write(&*store, vec![put(before, after.clone())]).await;
        before = after;
        for (now, expected) in times.into_iter().zip(expected) {
            let found = count(&*store, &Total::ActiveEvents(organization_id(1)), now).await;
            assert_eq!(found, expected, "{what}: {now}");
        }
    }
}

/// Each webhook of an organization counts until it is removed, also a disabled one.
pub async fn a_webhook_counts_until_it_is_removed(store: Arc<dyn Store>) {
    let (first, second) = (webhook(1, 1), webhook(1, 2));
    commit(&*store, insert([organization(1), organization(2)])).await;
    commit(&*store, insert([webhook(2, 3)])).await;
    let disabled = Disabled { at: at(5), reason: None };
    let disabled = Webhook { disabled: Some(disabled), version: 2, ..first.clone() };
    let steps = [
        (Write::insert(first.clone()), 1, "a webhook"),
        (put(first, disabled.clone()), 1, "a disabled one"),
        (Write::insert(second.clone()), 2, "another one"),
        (Write::Remove(disabled.into()), 1, "the disabled one is removed"),
        (Write::Remove(second.into()), 0, "the other one is removed"),
    ];
    for (change, expected, what) in steps {
        write(&*store, vec![change]).await;
        assert_eq!(count(&*store, &Total::Webhooks(organization_id(1)), at(0)).await, expected, "{what}");
    }
}

/// A delivery is in flight from a claim until the report or the end of the lease.
pub async fn a_delivery_is_in_flight_until_its_lease_ends(store: Arc<dyn Store>) {
    let webhooks = [1, 2].map(|number| webhook(1, number));
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert(webhooks.clone())).await;
    commit(&*store, insert([delivery(&webhooks[1], 21).claimed(at(0))])).await;
    let waiting = delivery(&webhooks[0], 11);
    let failed = Attempt::Failed { status: None, error: "timeout".to_owned(), retry_after: None };
    let claimed = waiting.clone().claimed(at(0));
    let due_again = claimed.clone().after(&failed, 0.0, at(1));
    let claimed_again = due_again.clone().claimed(at(10));
    let done = claimed_again.clone().after(&Attempt::Succeeded { status: 200 }, 0.0, at(11));
    let end = Delivery::LEASE.as_secs();
    let times = [0, end - 1, end, end + 9, end + 10].map(at);
    let steps = [
        (Write::insert(waiting.clone()), [0, 0, 0, 0, 0], "a delivery that waits"),
        (put(waiting, claimed.clone()), [1, 1, 0, 0, 0], "claimed"),
        (put(claimed, due_again.clone()), [0, 0, 0, 0, 0], "failed, and due later"),
        (put(due_again, claimed_again.clone()), [1, 1, 1, 1, 0], "claimed ten seconds later"),
        (put(claimed_again, done), [0, 0, 0, 0, 0], "delivered"),
    ];
    let total = Total::InFlight(organization_id(1), webhooks[0].id);
    for (change, expected, what) in steps {
        write(&*store, vec![change]).await;
        for (now, expected) in times.into_iter().zip(expected) {
            assert_eq!(count(&*store, &total, now).await, expected, "{what}: {now}");
        }
    }
}

/// A delivery with a lease, or a message, counts only if its end is not after the latest one.
pub async fn a_record_of_a_clock_that_was_ahead_counts_in_no_total(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (webhook, event) = (webhook(1, 77), &family.full.event);
    commit(&*store, insert([webhook.clone()])).await;
    let claimed = delivery(&webhook, 77).claimed(at(0));
    let message = message(event, 77);
    let records: [Record; 2] = [claimed.clone().into(), message.clone().into()];
    commit(&*store, insert(records)).await;
    let in_flight = Total::InFlight(webhook.organization, webhook.id);
    let messages = Total::Messages(event.organization, event.id);
    let (skew, second) = (Notice::CLOCK_SKEW, SignedDuration::from_secs(1));
    for (total, made_at) in [(in_flight, at(0)), (messages, message.created_at)] {
        for (now, expected) in [(made_at, 1), (made_at - skew, 1), (made_at - skew - second, 0)] {
            assert_eq!(count(&*store, &total, now).await, expected, "{total:?} at {now}");
        }
    }
}

/// A requirement that several totals are zero is refused if one of them is not. The refusal has such a total with its count.
pub async fn a_requirement_of_zeros_is_refused_with_a_total_above_zero(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (event, owner) = (&family.full.event, family.organization.id);
    let left = shift(event, 19, 5);
    let volunteer = signup(&left, 19);
    let records: [Record; 2] = [left.clone().into(), volunteer.clone().into()];
    commit(&*store, insert(records)).await;
    write(&*store, vec![put(volunteer.clone(), cancelled(volunteer, at(5)))]).await;
    let [taken, other] = [0, 1].map(|index| Total::Filled(owner, family.full.shifts[index].id));
    let [left, missing] = [left.id, ShiftId::new(uuid(99))].map(|shift| Total::Filled(owner, shift));
    let [answered, not, none] =
        [10, 11, 99].map(|number| Total::Answers(owner, event.id, QuestionId::new(uuid(number))));
    let cases = [
        (vec![], vec![]),
        (vec![left.clone(), missing.clone()], vec![]),
        (vec![taken.clone()], vec![&taken]),
        (vec![taken.clone(), left.clone()], vec![&taken]),
        (vec![left.clone(), taken.clone()], vec![&taken]),
        (vec![left, other.clone(), missing, taken.clone()], vec![&taken, &other]),
        (vec![not.clone(), none.clone()], vec![]),
        (vec![answered.clone(), none], vec![&answered]),
        (vec![not, answered.clone()], vec![&answered]),
    ];
    for (totals, expected) in cases {
        let requirement = Requirement::AllZero { parent: event.key(), totals };
        match check(&*store, vec![requirement.clone()]).await {
            Ok(()) => assert!(expected.is_empty(), "{requirement:?}"),
            Err(Refusal::NotBelow { total, count: 1 }) => {
                assert!(expected.contains(&&total), "{total:?}: {requirement:?}");
            }
            other => panic!("{other:?}: {requirement:?}"),
        }
    }
}

/// A change requires that a total is zero, and simultaneous sign-ups add to the total. Either the change or some of the sign-ups
/// succeed. The change deletes a shift without sign-ups, or changes a question without answers.
pub async fn a_total_that_has_to_be_zero_excludes_additions(store: Arc<dyn Store>) {
    let (mut event, _) = with_shift(&store, 1).await;
    for round in 1..17 {
        let shift = shift(&event, 100 * round, 9);
        let question = question(&event, 100 * round, 0);
        let records: [Record; 2] = [shift.clone().into(), question.clone().into()];
        commit(&*store, insert(records)).await;
        let sign_up = |number| {
            let answers = vec![answer(100 * round, "S")];
            let mut change = sign_up(&shift, &Signup { answers, ..signup(&shift, number) });
            change.requires.push(gate_unchanged(&event));
            change
        };
        let mut changes: Vec<_> = (100 * round..100 * round + 6).map(sign_up).collect();
        let mut edit = ChangeSet::default();
        if round % 2 == 0 {
            let after = Shift { deleted_at: Some(at(5)), ..next_shift(&shift) };
            edit.requires.push(are_empty(&event, &[shift.id]));
            edit.replace(shift.clone(), after);
        } else {
            let totals = vec![Total::Answers(event.organization, event.id, question.id)];
            edit.requires.push(Requirement::AllZero { parent: event.key(), totals });
            edit.replace(event.clone(), next(&event));
            edit.writes
                .push(put(question.clone(), Question { kind: QuestionKind::Text, version: 2, ..question }));
        }
        changes.insert(round as usize % 4, edit.clone());
        let results = all_at_once(&store, changes).await;
        let is_edited = results[round as usize % 4].is_ok();
        let signed_up = results.iter().filter(|result| result.is_ok()).count() - usize::from(is_edited);
        assert_eq!(is_edited, signed_up == 0, "either the edit or a sign-up is first: {results:?}");
        let query = SignupQuery::new().of_shift(shift.id);
        let found = store.signups(event.organization, &query).await.unwrap().items;
        assert_eq!(found.len(), signed_up, "{results:?}");
        event = store.get::<Event>(event.key()).await.unwrap().unwrap();
    }
}
