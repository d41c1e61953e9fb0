//! Requirements: when each one holds or is refused, and that a change set is applied completely or not at all.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// One failed requirement refuses the whole change set, its receipt and its notices included.
pub async fn a_refused_change_leaves_no_trace(store: Arc<dyn Store>) {
    let (former, shift) = with_shift(&store, 1).await;
    let event = event(1, 2);
    let new_shift = super::records::shift(&event, 2, 1);
    let receipt = receipt(receipt_key(1, "key"), &event, &[]);
    let volunteer = signup(&shift, 1);
    let requires = vec![
        Requirement::EventSlugFree(event.slug.clone()),
        Requirement::ShiftAtVersion { organization: former.organization, shift: shift.id, version: 99 },
    ];
    let writes = vec![
        Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
        Write::InsertShifts(vec![new_shift.clone()]),
        Write::InsertSignup(Box::new(volunteer.clone())),
        Write::InsertReceipt(Box::new(receipt.clone())),
        Write::InsertNotices(vec![notice(&shift, 1)]),
        Write::SetPlan { organization: former.organization, plan: Plan::Pro },
    ];
    assert_eq!(try_write(&*store, requires, writes).await, Err(Refusal::ShiftChanged));
    let owner = former.organization;
    assert_eq!(store.event(owner, event.id).await.unwrap(), None);
    assert_eq!(store.shift(owner, new_shift.id).await.unwrap(), None);
    assert_eq!(store.shift(owner, shift.id).await.unwrap(), Some(shift));
    assert_eq!(store.signup_by_secret(&volunteer.secret).await.unwrap(), None);
    assert_eq!(store.receipt(&receipt.key, at(0)).await.unwrap(), None);
    assert_eq!(store.notices(false, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.organization(owner).await.unwrap(), Some(organization(1)));
}

/// If several requirements do not hold, the refusal is that of the first one.
pub async fn the_first_requirement_that_fails_is_the_refusal(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let slug = Requirement::EventSlugFree(event.slug);
    let version =
        Requirement::ShiftAtVersion { organization: event.organization, shift: shift.id, version: 2 };
    let both = vec![slug.clone(), version.clone()];
    assert_eq!(try_write(&*store, both, vec![]).await, Err(Refusal::SlugTaken));
    assert_eq!(try_write(&*store, vec![version, slug], vec![]).await, Err(Refusal::ShiftChanged));
}

/// The requirements of a change set without writes are checked.
pub async fn requirements_without_writes_are_checked(store: Arc<dyn Store>) {
    assert_eq!(try_write(&*store, vec![Requirement::NoOrganization], vec![]).await, Ok(()));
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let refused = try_write(&*store, vec![Requirement::NoOrganization], vec![]).await;
    assert_eq!(refused, Err(Refusal::OrganizationExists));
}

/// The slug of an event is taken for every organization. Slugs of events and of organizations are independent.
pub async fn a_slug_is_free_or_taken(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let checks = [
        (Requirement::EventSlugFree(event.slug.clone()), Err(Refusal::SlugTaken)),
        (Requirement::EventSlugFree("organization-1".to_owned()), Ok(())),
        (Requirement::OrganizationSlugFree("organization-1".to_owned()), Err(Refusal::SlugTaken)),
        (Requirement::OrganizationSlugFree(event.slug), Ok(())),
    ];
    for (requirement, expected) in checks {
        assert_eq!(try_write(&*store, vec![requirement.clone()], vec![]).await, expected, "{requirement:?}");
    }
}

/// A change of a shift is refused if its version is stale.
pub async fn a_stale_version_of_a_shift_is_refused(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let requires = |version| {
        vec![Requirement::ShiftAtVersion { organization: event.organization, shift: shift.id, version }]
    };
    let edited = Shift { version: 2, updated_at: at(5), ..shift.clone() };
    assert_eq!(try_write(&*store, requires(1), vec![Write::UpdateShift(Box::new(edited))]).await, Ok(()));
    assert_eq!(try_write(&*store, requires(1), vec![]).await, Err(Refusal::ShiftChanged));
    assert_eq!(try_write(&*store, requires(2), vec![]).await, Ok(()));
}

/// A published event counts until the end of its last day; a draft never counts.
pub async fn an_active_event_counts_until_its_end(store: Arc<dyn Store>) {
    let published = event(1, 1);
    let two_days = Event {
        dates: EventDates { last: Some("2027-06-06".parse().unwrap()), ..published.dates.clone() },
        ..event(1, 2)
    };
    let draft = Event { is_published: false, ..event(1, 3) };
    let mut writes = vec![Write::InsertOrganization(organization(1))];
    writes.extend(
        [&published, &two_days, &draft]
            .map(|event| Write::InsertEvent { event: Box::new(event.clone()), location_data: None }),
    );
    write(&*store, writes).await;
    let end = published.dates.ends_at();
    let later = two_days.dates.ends_at();
    for (now, count) in [(at(0), 2), (end - jiff::SignedDuration::from_secs(1), 2), (end, 1), (later, 0)] {
        let below =
            |limit| vec![Requirement::ActiveEventsBelow { organization: organization_id(1), limit, now }];
        assert_eq!(try_write(&*store, below(count + 1), vec![]).await, Ok(()), "{now}");
        assert_eq!(
            try_write(&*store, below(count), vec![]).await,
            Err(Refusal::ActiveEvents { count }),
            "{now}"
        );
    }
}

/// A shift has room until `filled` is its capacity, and again after a cancellation. A missing shift has no room.
pub async fn a_shift_has_room_or_is_full(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let room = vec![Requirement::ShiftHasRoom { organization: event.organization, shift: shift.id }];
    let volunteer = signup(&shift, 1);
    assert_eq!(
        try_write(&*store, room.clone(), vec![Write::InsertSignup(Box::new(volunteer.clone()))]).await,
        Ok(())
    );
    assert_eq!(try_write(&*store, room.clone(), vec![]).await, Err(Refusal::ShiftFull));
    write(&*store, vec![cancel(&volunteer, at(5))]).await;
    assert_eq!(try_write(&*store, room.clone(), vec![]).await, Ok(()), "a cancel frees the place");
    let gone = vec![Requirement::ShiftHasRoom { organization: event.organization, shift: ShiftId::NONE }];
    assert_eq!(
        try_write(&*store, gone, vec![]).await,
        Err(Refusal::ShiftFull),
        "a missing shift has no room"
    );
}

/// A shift with more sign-ups than its capacity has no room.
pub async fn an_over_full_shift_has_no_room(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 3).await;
    let mut writes: Vec<_> =
        (1..4).map(|number| Write::InsertSignup(Box::new(signup(&shift, number)))).collect();
    let occupancy = Occupancy::empty(Capacity::new(1).unwrap());
    writes.push(Write::UpdateShift(Box::new(Shift { occupancy, version: 2, ..shift.clone() })));
    write(&*store, writes).await;
    let room = vec![Requirement::ShiftHasRoom { organization: event.organization, shift: shift.id }];
    assert_eq!(
        try_write(&*store, room, vec![]).await,
        Err(Refusal::ShiftFull),
        "an over-full shift has no room"
    );
}

/// `ShiftsAreEmpty` fails if at least one of the shifts has a confirmed sign-up. Other shifts of the event do not count, nor
/// do shifts of other events.
pub async fn shifts_are_empty_or_one_has_a_sign_up(store: Arc<dyn Store>) {
    let (event, taken) = with_shift(&store, 5).await;
    let another = super::records::event(1, 2);
    let [empty, left, deleted] = [2, 3, 4].map(|number| shift(&event, number, 5));
    let [confirmed, leaves, stays] =
        [(&taken, 1), (&left, 2), (&deleted, 3)].map(|(shift, number)| signup(shift, number));
    let signups = [&confirmed, &leaves, &stays].map(|signup| Write::InsertSignup(Box::new(signup.clone())));
    let shifts = Write::InsertShifts(vec![empty.clone(), left.clone(), deleted.clone()]);
    let (organization, at) = (event.organization, at(5));
    let delete = Write::DeleteShift { organization, shift: deleted.id, at };
    write(&*store, [vec![insert_event(&another), shifts], signups.to_vec()].concat()).await;
    write(&*store, vec![cancel(&leaves, at), delete]).await;
    let refused = Err(Refusal::ShiftHasSignups);
    let answers: [(&Event, &[ShiftId], _, _); 7] = [
        (&event, &[], Ok(()), "no shifts"),
        (&event, &[empty.id, left.id], Ok(()), "a cancelled sign-up does not count"),
        (&event, &[taken.id], refused.clone(), "the only shift"),
        (&event, &[taken.id, empty.id], refused.clone(), "the first of two shifts"),
        (&event, &[empty.id, taken.id], refused.clone(), "the last of two shifts"),
        (&event, &[deleted.id], refused, "a deleted shift keeps its sign-ups"),
        (&another, &[taken.id], Ok(()), "a shift of another event"),
    ];
    for (event, shifts, expected, what) in answers {
        assert_eq!(try_write(&*store, vec![are_empty(event, shifts)], vec![]).await, expected, "{what}");
    }
}

/// A requirement on a missing record is refused, unless it counts. A missing shift has no addresses and no sign-ups, a missing
/// question has no answers, and a missing organization has no active events.
pub async fn a_requirement_on_a_missing_record_is_refused(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let (organization, shift) = (organization_id(1), ShiftId::new(uuid(9)));
    let (event, notice, question) = (EventId::new(uuid(9)), NoticeId::new(uuid(9)), QuestionId::new(uuid(9)));
    let signup = signup(&super::records::shift(&super::records::event(1, 9), 9, 1), 9);
    let email = EmailAddress::new("ada@example.org").unwrap();
    let missing = organization_id(9);
    let answers = [
        (Requirement::ShiftAtVersion { organization, shift, version: 0 }, Err(Refusal::ShiftChanged)),
        (Requirement::ShiftAtVersion { organization, shift, version: 1 }, Err(Refusal::ShiftChanged)),
        (Requirement::EventAtVersion { organization, event, version: 0 }, Err(Refusal::EventChanged)),
        (Requirement::EventAtVersion { organization, event, version: 1 }, Err(Refusal::EventChanged)),
        (Requirement::EventDeleted { organization, event, version: 1 }, Err(Refusal::EventChanged)),
        (Requirement::ShiftsAreEmpty { organization, event, shifts: vec![shift] }, Ok(())),
        (Requirement::QuestionUnanswered { organization, event, question }, Ok(())),
        (Requirement::ShiftHasRoom { organization, shift }, Err(Refusal::ShiftFull)),
        (is_confirmed(&signup), Err(Refusal::SignupNotConfirmed)),
        (has_secret(&signup, Digest::of("x")), Err(Refusal::SignupChanged)),
        (Requirement::NoticeAtVersion { organization, notice, version: 1 }, Err(Refusal::NoticeChanged)),
        (Requirement::AddressNotOnShift { organization, shift, email }, Ok(())),
        (Requirement::ActiveEventsBelow { organization: missing, limit: 1, now: at(0) }, Ok(())),
        (
            Requirement::ActiveEventsBelow { organization: missing, limit: 0, now: at(0) },
            Err(Refusal::ActiveEvents { count: 0 }),
        ),
    ];
    for (requirement, expected) in answers {
        assert_eq!(try_write(&*store, vec![requirement.clone()], vec![]).await, expected, "{requirement:?}");
    }
}

/// A change of a missing record changes nothing, and inserts nothing.
pub async fn a_change_of_a_missing_record_changes_nothing(store: Arc<dyn Store>) {
    let (event, present) = with_shift(&store, 5).await;
    let organization = event.organization;
    let missing = shift(&event, 9, 1);
    let (signup, notice) = (signup(&missing, 9), notice(&missing, 9));
    let changes = [
        Write::SetPlan { organization: organization_id(9), plan: Plan::Free },
        Write::RevokeToken { token: TokenId::new(uuid(9)), at: at(5) },
        Write::UpdateShift(Box::new(missing.clone())),
        cancel(&signup, at(5)),
        Write::RenewSecret {
            organization,
            shift: missing.id,
            signup: signup.id,
            secret: Digest::of("x"),
            at: at(5),
        },
        erase(&signup),
        Write::UpdateNotice(Box::new(notice.clone())),
        Write::DeleteNotice { organization, notice: notice.id },
    ];
    for change in changes {
        assert_eq!(try_write(&*store, vec![], vec![change.clone()]).await, Ok(()), "{change:?}");
    }
    assert_eq!(store.organization(organization_id(9)).await.unwrap(), None);
    assert_eq!(store.shift(organization, missing.id).await.unwrap(), None, "an update inserts no shift");
    assert_eq!(store.shifts(organization, event.id).await.unwrap(), Some(vec![present]));
    assert_eq!(store.signup_by_secret(&Digest::of("x")).await.unwrap(), None);
    assert_eq!(store.notice(notice.id).await.unwrap(), None);
}

/// A repeated cancellation subtracts from `filled` only once, and keeps the first time and the first cause.
pub async fn a_signup_is_cancelled_once(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let volunteer = signup(&shift, 1);
    write(&*store, vec![Write::InsertSignup(Box::new(volunteer.clone()))]).await;
    let confirmed = vec![is_confirmed(&volunteer)];
    assert_eq!(try_write(&*store, confirmed.clone(), vec![cancel(&volunteer, at(5))]).await, Ok(()));
    assert_eq!(try_write(&*store, confirmed, vec![]).await, Err(Refusal::SignupNotConfirmed));
    let mut again = cancel(&volunteer, at(6));
    if let Write::CancelSignup { by, .. } = &mut again {
        *by = CancelledBy::Operator;
    }
    write(&*store, vec![again]).await;
    let cancelled = cancelled(volunteer, at(5));
    assert_eq!(store.signup_by_secret(&cancelled.secret).await.unwrap(), Some(cancelled));
    assert_eq!(store.shift(event.organization, shift.id).await.unwrap().unwrap().occupancy.filled, 0);
}

/// A change that requires a former secret is refused. Only the new secret finds the sign-up.
pub async fn a_secret_is_renewed_once(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let volunteer = signup(&shift, 1);
    write(&*store, vec![Write::InsertSignup(Box::new(volunteer.clone()))]).await;
    let (organization, signup) = (event.organization, volunteer.id);
    let same = |secret| vec![has_secret(&volunteer, secret)];
    let secret = Digest::of("another");
    let renew = vec![Write::RenewSecret { organization, shift: shift.id, signup, secret, at: at(9) }];
    assert_eq!(try_write(&*store, same(volunteer.secret), renew.clone()).await, Ok(()));
    assert_eq!(try_write(&*store, same(volunteer.secret), renew).await, Err(Refusal::SignupChanged));
    assert_eq!(store.signup_by_secret(&volunteer.secret).await.unwrap(), None);
    let renewed = Signup { secret, mailed_at: at(9), ..volunteer.clone() };
    assert_eq!(store.signup_by_secret(&secret).await.unwrap(), Some(renewed));
    write(&*store, vec![cancel(&volunteer, at(10))]).await;
    assert_eq!(
        try_write(&*store, same(secret), vec![]).await,
        Err(Refusal::SignupChanged),
        "it is cancelled"
    );
}

/// A change that requires the secret of another sign-up is refused.
pub async fn the_secret_of_another_sign_up_is_refused(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 5).await;
    let (one, other) = (signup(&shift, 1), signup(&shift, 2));
    let writes = [&one, &other].map(|signup| Write::InsertSignup(Box::new(signup.clone())));
    write(&*store, writes.to_vec()).await;
    let requires = |secret| vec![has_secret(&one, secret)];
    assert_eq!(try_write(&*store, requires(one.secret), vec![]).await, Ok(()));
    assert_eq!(
        try_write(&*store, requires(other.secret), vec![]).await,
        Err(Refusal::SignupChanged),
        "the secret is of another sign-up"
    );
}

/// Erasing removes a sign-up and its notices, and frees its place if it was confirmed. The address may sign up again.
/// Erasing again removes the notices that were added meanwhile.
pub async fn erasing_a_sign_up_removes_its_notices_and_frees_its_place(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (volunteer, other) = (signup(&shift, 1), signup(&shift, 2));
    let (organization, shift_path) = (event.organization, (event.organization, event.id, shift.id));
    let about = |signup: &Signup, number| {
        let cause = NoticeCause::Cancelled { signup: signup.id };
        Notice::new(NoticeId::new(uuid(number)), shift_path, cause, at(2))
    };
    let notices = vec![about(&volunteer, 1), about(&other, 2), notice(&shift, 3)];
    let writes = vec![
        Write::InsertSignup(Box::new(volunteer.clone())),
        Write::InsertSignup(Box::new(other.clone())),
        Write::InsertNotices(notices.clone()),
    ];
    write(&*store, writes).await;
    let erase = || vec![erase(&volunteer)];
    let filled = async || store.shift(organization, shift.id).await.unwrap().unwrap().occupancy.filled;
    for time in ["once", "again"] {
        write(&*store, erase()).await;
        assert_eq!(store.signup(organization, volunteer.id).await.unwrap(), None, "{time}");
        assert_eq!(store.signup_by_secret(&volunteer.secret).await.unwrap(), None, "{time}");
        assert_eq!(store.signups(organization, event.id, None, 9).await.unwrap(), vec![other.clone()]);
        assert_eq!(store.notices(false, None, 9).await.unwrap(), notices[1..], "{time}");
        assert_eq!(filled().await, 1, "{time}");
        // A notice about the erased sign-up, which the next erasure removes.
        write(&*store, vec![Write::InsertNotices(vec![about(&volunteer, 4)])]).await;
    }
    store.commit(sign_up(&shift, &volunteer)).await.unwrap();
    write(&*store, vec![cancel(&volunteer, at(5))]).await;
    write(&*store, erase()).await;
    assert_eq!(filled().await, 1, "a cancelled one held no place");
}

/// An edit does not change `filled`, the position or the time of creation.
pub async fn an_edit_keeps_filled_position_and_creation_time(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    write(&*store, vec![Write::InsertSignup(Box::new(signup(&shift, 1)))]).await;
    let edited = Shift {
        title: Title::new("Evening").unwrap(),
        location: Some(ShiftLocation::new("Hall B").unwrap()),
        hours: Hours::parse(Some("18:00"), None).unwrap(),
        occupancy: Occupancy { capacity: Capacity::new(2).unwrap(), filled: 77 },
        version: 2,
        updated_at: at(5),
        ..shift.clone()
    };
    let sent = Shift { position: 99, created_at: at(6), ..edited.clone() };
    write(&*store, vec![Write::UpdateShift(Box::new(sent))]).await;
    let expected = Shift { occupancy: Occupancy { filled: 1, ..edited.occupancy }, ..edited };
    assert_eq!(store.shift(event.organization, shift.id).await.unwrap(), Some(expected));
}

/// A token that is revoked again keeps its first time of revocation. No other token is revoked.
pub async fn a_revoked_token_keeps_its_first_time(store: Arc<dyn Store>) {
    let (token, other) = (token(1, 1), token(1, 2));
    let writes = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertToken(token.clone()),
        Write::InsertToken(other.clone()),
    ];
    write(&*store, writes).await;
    for time in [5, 9] {
        write(&*store, vec![Write::RevokeToken { token: token.id, at: at(time) }]).await;
        let (found, _) = store.token_by_digest(&token.digest).await.unwrap().unwrap();
        assert_eq!(found.revoked_at, Some(at(5)));
    }
    assert_eq!(store.token(other.id).await.unwrap(), Some(other), "another token is not revoked");
}

/// A change of the plan is stored. No other field and no other organization changes.
pub async fn a_change_of_the_plan_is_stored(store: Arc<dyn Store>) {
    write(
        &*store,
        vec![Write::InsertOrganization(organization(1)), Write::InsertOrganization(organization(2))],
    )
    .await;
    write(&*store, vec![Write::SetPlan { organization: organization_id(1), plan: Plan::Free }]).await;
    let changed = Organization { plan: Plan::Free, ..organization(1) };
    assert_eq!(store.organization(changed.id).await.unwrap(), Some(changed));
    assert_eq!(store.organization(organization_id(2)).await.unwrap(), Some(organization(2)));
}
