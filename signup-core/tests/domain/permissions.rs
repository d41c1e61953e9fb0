//! What a session may do: each method requires its permission, and a person writes as a token does.

use signup_core::*;

use crate::scene::{Scene, address};

/// Calls every method of a session that reads or writes. Returns the permission that each requires, and whether the session was
/// refused for lack of a permission. Most calls name a record that does not exist, because a permission is checked first.
async fn refusals(session: &Session) -> Vec<(&'static str, Permission, Option<Error>)> {
    let hook = || NewWebhook::new("https://example.org/hooks".parse().unwrap());
    let drive = || NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let copy = || DuplicateEvent::on(date(2027, 7, 4));
    let question = || NewQuestion::new("Diet".parse().unwrap(), QuestionKind::Text);
    let token = || NewToken::new("import".parse().unwrap(), Scopes::all());
    let person = |role| NewInvitation::new(address("grace"), "Grace".parse().unwrap(), role);
    let mut refusals = vec![];
    macro_rules! require {
        ($($permission:expr => $($method:ident$(::<$value:ty>)?($($argument:expr),*)$(.$next:ident())?),+;)+) => {
            $($(
                let error = session.$method$(::<$value>)?($($argument),*)$(.$next())?.await.err();
                refusals.push((stringify!($method), Permission::from($permission), error.filter(Error::is_denied)));
            )+)+
        };
    }
    require! {
        Scope::EventsRead =>
            event(EventId::NONE), events(EventQuery::new()), events_with_shifts(EventQuery::new()),
            pages(EventQuery::new()).next(), active_events(),
            questions(EventId::NONE), question(QuestionId::NONE);
        Scope::EventsWrite =>
            create_event(drive()), duplicate_event(EventId::NONE, copy()),
            patch_event(EventId::NONE, EventPatch::new()),
            publish_event(EventId::NONE), unpublish_event(EventId::NONE),
            cancel_event(EventId::NONE, Cancellation::new()), delete_event(EventId::NONE),
            add_question(EventId::NONE, question()), patch_question(QuestionId::NONE, QuestionPatch::new()),
            delete_question(QuestionId::NONE), stored_reply::<Outcome>(OperationKind::CreateEvent, &"key".parse().unwrap());
        Scope::ShiftsRead =>
            shifts(EventId::NONE), shift(ShiftId::NONE), coverage(EventId::NONE), coverages(CoverageQuery::new()),
            pages(CoverageQuery::new()).next();
        Scope::ShiftsWrite =>
            patch_shift(ShiftId::NONE, ShiftPatch::new()),
            add_shifts(EventId::NONE, vec![]), delete_shift(ShiftId::NONE, DeleteShift::new());
        Scope::OrganizationRead => organization();
        Scope::SignupsRead =>
            signups(SignupQuery::new()), pages(SignupQuery::new()).next(), signup(SignupId::NONE),
            event_signups(EventId::NONE), volunteers(VolunteerQuery::new()), pages(VolunteerQuery::new()).next(),
            signups_of_volunteer(SignupId::NONE), failed_mails(EventId::NONE, 9);
        Permission::ManageSignups =>
            cancel_signup(SignupId::NONE, Cancellation::new()), mark_attendance(SignupId::NONE, None),
            correct_signup(SignupId::NONE, Correction::new()), move_signup(SignupId::NONE, ShiftId::NONE),
            gets_summary(), choose_summary(false);
        Permission::SendMessages =>
            messages(EventId::NONE), send_message(EventId::NONE, message());
        Scope::ActivityRead => activity(ActivityQuery::new()), pages(ActivityQuery::new()).next();
        Scope::WebhooksRead =>
            webhooks(), webhook(WebhookId::NONE), deliveries(WebhookId::NONE, DeliveryQuery::new());
        Scope::WebhooksWrite =>
            create_webhook(hook()), patch_webhook(WebhookId::NONE, WebhookPatch::new()),
            rotate_secret(WebhookId::NONE), test_webhook(WebhookId::NONE), delete_webhook(WebhookId::NONE),
            redeliver(DeliveryId::NONE);
        Permission::ReadTokens => tokens();
        Permission::ManageTokens => create_token(token()), revoke_token(TokenId::NONE);
        Permission::ReadMembers => members(), invitations();
        Permission::ManageMembers =>
            invite(person(Role::Admin)), withdraw_invitation(InvitationId::NONE),
            change_role(PersonId::NONE, Role::Admin), remove_member(PersonId::NONE);
        Permission::FindVolunteers => find_volunteer(&address("ada"));
        Permission::ManageVolunteers => volunteer_data(&address("ada")), erase_volunteer(&address("ada"));
        Permission::UpdateOrganization => update_organization(OrganizationPatch::new());
    }
    refusals
}

fn message() -> NewMessage {
    NewMessage::new("Gloves".parse().unwrap(), "Bring gloves.".parse().unwrap())
}

#[tokio::test]
async fn each_method_of_a_session_requires_its_permission() {
    let scene = Scene::start().await;
    let organization = scene.session.organization_id();
    let mut sessions = vec![];
    for scopes in
        [Scopes::default(), Scopes::all()].into_iter().chain(Scope::ALL.iter().map(|&scope| [scope].into()))
    {
        sessions.push(scene.service.session_for(organization, scopes).await.unwrap());
    }
    for (name, role) in ["olga", "adam", "oscar"].into_iter().zip(Role::ALL.iter().copied()) {
        let (person, _) = scene.member(name, role).await;
        sessions.push(person.session("riverside").unwrap());
    }
    for session in sessions {
        for (method, permission, refused) in refusals(&session).await {
            assert_eq!(refused, session.require(permission).err(), "{method} of {:?}", session.permissions());
        }
    }
}

#[tokio::test]
async fn an_old_sign_in_lacks_the_permissions_that_require_a_recent_one() {
    let scene = Scene::start().await;
    let (owner, _) = scene.member("oscar", Role::Owner).await;
    let session = owner.session("riverside").unwrap();
    scene.clock.advance(SignIn::RECENT.as_secs());
    assert!(refusals(&session).await.iter().all(|(.., refused)| refused.is_none()));
    scene.clock.advance(1);
    let refused = |(method, _, refused): (&'static str, Permission, Option<Error>)| {
        (refused? == Error::NotRecent).then_some(method)
    };
    let expected = [
        "create_webhook",
        "patch_webhook",
        "rotate_secret",
        "test_webhook",
        "delete_webhook",
        "redeliver",
        "create_token",
        "revoke_token",
        "invite",
        "withdraw_invitation",
        "change_role",
        "remove_member",
        "volunteer_data",
        "erase_volunteer",
    ];
    let late = refusals(&session).await;
    assert_eq!(late.into_iter().filter_map(refused).collect::<Vec<_>>(), expected);
    let webhook = NewWebhook::new("https://example.org/hooks".parse().unwrap());
    assert!(scene.session.create_webhook(webhook).await.is_ok(), "a token enters no code");
}

#[tokio::test]
async fn an_organizer_writes_as_a_token_does_and_is_named_in_the_activity() {
    let scene = Scene::start().await;
    let (olga, _) = scene.member("olga", Role::Organizer).await;
    let session = olga.session("riverside").unwrap();
    let packing = || NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let created = session.create_event(drive.shift(packing())).await.unwrap();
    let event = created.event.id;
    session.publish_event(event).await.unwrap();
    session.patch_event(event, EventPatch::new().title("Winter drive".parse().unwrap())).await.unwrap();
    let shift = session.add_shifts(event, vec![packing()]).await.unwrap().remove(0);
    session.patch_shift(shift.id, ShiftPatch::new().title("Sorting".parse().unwrap())).await.unwrap();
    session.delete_shift(shift.id, DeleteShift::new()).await.unwrap();
    let question = NewQuestion::new("Diet".parse().unwrap(), QuestionKind::Text);
    let question = session.add_question(event, question).await.unwrap();
    session.patch_question(question.id, QuestionPatch::new().required(true)).await.unwrap();
    session.delete_question(question.id).await.unwrap();
    let ada = scene.sign_up(&created.shifts[0], "ada").await.unwrap().signup;
    let reason = "We have too many helpers".parse().unwrap();
    let cancelled = session.cancel_signup(ada.id, Cancellation::new().reason(reason)).await.unwrap();
    assert_eq!(cancelled.cancelled_by(), Some(CancelledBy::Organizer));
    let copy = session.duplicate_event(event, DuplicateEvent::on(date(2027, 7, 10))).await.unwrap();
    session.unpublish_event(event).await.unwrap();
    session.cancel_event(event, Cancellation::new()).await.unwrap();
    session.delete_event(copy.event.id).await.unwrap();

    let by_olga = Actor::Person { id: olga.person().id, name: "olga".parse().unwrap() };
    let all = scene.session.activity(ActivityQuery::new().limit(100)).await.unwrap().items;
    let written: Vec<_> = all.iter().rev().filter(|activity| activity.actor == by_olga).collect();
    let types: Vec<_> = written.iter().map(|activity| activity.kind.as_str()).collect();
    let expected = [
        // She accepted the invitation.
        "member.joined",
        "event.created",
        "event.published",
        "event.updated",
        "slot.created",
        "slot.updated",
        "slot.deleted",
        "question.created",
        "question.updated",
        "question.deleted",
        "signup.cancelled",
        "event.created",
        "event.unpublished",
        "event.cancelled",
        "event.deleted",
    ];
    assert_eq!(types, expected);
}

#[tokio::test]
async fn the_mail_about_a_cancelled_sign_up_has_the_reason_of_the_organizer() {
    let scene = Scene::start().await;
    let (olga, _) = scene.member("olga", Role::Organizer).await;
    let session = olga.session("riverside").unwrap();
    let (event, shift) = scene.event(2).await;
    let ada = scene.sign_up(&shift, "ada").await.unwrap().signup;
    let bo = scene.sign_up(&shift, "bo").await.unwrap().signup;
    let reason: CancellationReason = "We have too many helpers".parse().unwrap();
    let cancel = || Cancellation::new().reason(reason.clone());
    scene.mails().await;
    session.cancel_signup(ada.id, cancel()).await.unwrap();
    session.cancel_signup(bo.id, cancel().without_mail()).await.unwrap();
    let mails = scene.mails().await;
    let recipients: Vec<_> = mails.iter().map(Mail::recipient).collect();
    assert_eq!(recipients, [&ada.email], "the other is cancelled without a mail");
    for signup in [ada.id, bo.id] {
        let signup = session.signup(signup).await.unwrap();
        assert_eq!(signup.cancellation_reason(&event, &shift), Some(&reason));
    }
    assert_eq!(session.shift(shift.id).await.unwrap().occupancy.filled, 0);
    let again = session.cancel_signup(ada.id, Cancellation::new()).await.unwrap();
    assert_eq!(again.reason, Some(reason), "a cancelled sign-up stays as it is");
}
