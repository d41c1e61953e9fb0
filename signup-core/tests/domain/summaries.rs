//! The summary that members get each day.

use signup_core::*;

use crate::scene::{Scene, address, join, session};

/// Delivers all mails that are due, and returns the summaries with the secrets of their links.
async fn summaries(scene: &Scene) -> Vec<(SummaryMail, Secret)> {
    let mails = scene.mails().await.into_iter();
    let summary = |Mail { content, secret, .. }| match content {
        MailContent::Summary(summary) => Some((*summary, secret?)),
        _ => None,
    };
    mails.filter_map(summary).collect()
}

async fn of_member(scene: &Scene, name: &str, role: Role) -> Session {
    scene.member(name, role).await.0.session("riverside").unwrap()
}

/// Moves the clock to 06:00 in UTC, on the next day.
fn to_six(scene: &Scene) {
    let now = scene.service.now();
    let six = now.to_string().split_once('T').map(|(day, _)| format!("{day}T06:00:00Z")).unwrap();
    let six: Timestamp = six.parse().unwrap();
    scene.clock.advance((six - now).as_secs() + 86_400);
}

#[tokio::test]
async fn the_first_owner_hears_each_morning_what_happened_and_what_is_short() {
    let scene = Scene::start().await;
    let owner = of_member(&scene, "olga", Role::Owner).await;
    let other = of_member(&scene, "oscar", Role::Owner).await;
    assert_eq!((owner.gets_summary().await, other.gets_summary().await), (Ok(true), Ok(false)));
    let (event, shift) = scene.event(3).await;
    let ada = scene.sign_up(&shift, "ada").await.unwrap().signup;
    scene.sign_up(&shift, "bob").await.unwrap();
    scene.mails().await;
    owner.cancel_signup(ada.id, Cancellation::new()).await.unwrap();
    scene.mails().await;
    scene.sign_up(&shift, "eve").await.unwrap();
    let outbox = scene.service.outbox();
    let due = outbox.due(9).await.unwrap().remove(0);
    let mail = outbox.claim(&due).await.unwrap().unwrap();
    outbox.report_failed(&mail, MailFailure::Permanent, "550 no such user").await.unwrap();
    let failed = owner.failed_mails(event.id, 9).await.unwrap();
    assert_eq!(failed[0].cause.volunteer(), Some(&address("eve")));

    scene.clock.advance(3_600);
    assert_eq!(summaries(&scene).await, [], "not before 06:00");
    to_six(&scene);
    let sent = summaries(&scene).await;
    let [(summary, _)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(summary.person.email, address("olga"));
    let late: Vec<_> = summary.late.iter().map(|found| found.signup.id).collect();
    assert_eq!(late, [ada.id], "cancelled less than 48 hours before the shift");
    let [found] = summary.events.as_slice() else { panic!("{summary:?}") };
    assert_eq!((found.event.id, found.joined, found.cancelled), (event.id, 3, 1));
    assert_eq!(found.undelivered, [address("eve")]);
    let short: Vec<_> = found.short.iter().map(|shift| (shift.id, shift.occupancy.remaining())).collect();
    assert_eq!(short, [(shift.id, 1)]);
    assert_eq!(summaries(&scene).await, [], "once a day");
    to_six(&scene);
    assert_eq!(summaries(&scene).await, [], "nothing happened");
}

#[tokio::test]
async fn what_happens_just_before_six_is_in_the_summary_of_the_next_day() {
    let scene = Scene::start().await;
    drop(of_member(&scene, "olga", Role::Owner).await);
    let (_, shift) = scene.event(9).await;
    to_six(&scene);
    scene.clock.advance(-60);
    scene.sign_up(&shift, "ada").await.unwrap();
    scene.clock.advance(60);
    assert_eq!(summaries(&scene).await, [], "the commit might still be under way");
    to_six(&scene);
    let joined: Vec<_> = summaries(&scene).await.iter().map(|(mail, _)| mail.events[0].joined).collect();
    assert_eq!(joined, [1]);
}

#[tokio::test]
async fn a_member_chooses_the_summary_and_turns_it_off_by_its_link() {
    let scene = Scene::start().await;
    let owner = of_member(&scene, "olga", Role::Owner).await;
    let member = of_member(&scene, "mia", Role::Organizer).await;
    owner.choose_summary(false).await.unwrap();
    member.choose_summary(true).await.unwrap();
    member.choose_summary(true).await.unwrap();
    assert_eq!((owner.gets_summary().await, member.gets_summary().await), (Ok(false), Ok(true)));
    let (_, shift) = scene.event(9).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    to_six(&scene);
    let (mail, secret) = summaries(&scene).await.remove(0);
    assert_eq!(mail.person.email, address("mia"));

    let volunteers = scene.service.volunteers();
    let choice = volunteers.mail_choice(&secret).await.unwrap();
    assert_eq!((choice.subscription, choice.is_on), (Subscription::Summaries, true));
    volunteers.choose_mails(&secret, false).await.unwrap();
    assert_eq!(member.gets_summary().await, Ok(false));
    scene.sign_up(&shift, "bob").await.unwrap();
    to_six(&scene);
    assert_eq!(summaries(&scene).await, []);
    member.choose_summary(true).await.unwrap();
    assert_eq!(member.gets_summary().await, Ok(true));
    let is_on = async || volunteers.mail_choice(&secret).await.map(|choice| choice.is_on);
    assert_eq!(is_on().await, Ok(true));
    let erased = scene.service.admin().erase_signups(scene.session.organization_id(), &address("mia")).await;
    assert_eq!((erased, is_on().await), (Ok(0), Ok(true)), "the membership stays");
    member.choose_summary(false).await.unwrap();
    assert_eq!(is_on().await, Ok(false));
    volunteers.choose_mails(&secret, true).await.unwrap();
    assert_eq!((is_on().await, member.gets_summary().await), (Ok(true), Ok(true)));

    // The person stays one, as a member of another organization.
    let other = session(&scene.service, Plan::Pro).await.organization_id();
    drop(join(&scene.service, other, "mia", Role::Organizer).await);
    let organization = scene.session.organization_id();
    scene.service.admin().remove_person(organization, &address("mia")).await.unwrap();
    let again = of_member(&scene, "mia", Role::Organizer).await;
    assert_eq!(again.gets_summary().await, Ok(false), "the choice ends with the membership");
    assert_eq!(is_on().await, Ok(false));
    assert_eq!(scene.session.gets_summary().await, Err(Error::MissingRole(Role::Organizer)), "a token");
}

#[tokio::test]
async fn a_summary_is_claimed_by_one_process_and_repeated_with_the_same_id_after_a_crash() {
    let scene = Scene::start().await;
    drop(of_member(&scene, "olga", Role::Owner).await);
    let (_, shift) = scene.event(9).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    scene.mails().await;
    to_six(&scene);
    let outbox = scene.service.outbox();
    let due = outbox.due(9).await.unwrap().remove(0);
    let first = outbox.claim(&due).await.unwrap().unwrap();
    assert_eq!(outbox.claim(&due).await, Ok(None), "another process");
    assert_eq!(outbox.due(9).await, Ok(vec![]));
    scene.clock.advance(Notice::LEASE.as_secs());
    let due = outbox.due(9).await.unwrap().remove(0);
    let second = outbox.claim(&due).await.unwrap().unwrap();
    assert_eq!(first.content, second.content);
    assert_eq!(first.message_digest("words"), second.message_digest("words"));
    assert_eq!(outbox.report_sent(&first).await, Ok(false));
    assert_eq!(outbox.report_sent(&second).await, Ok(true));
    scene.sign_up(&shift, "bob").await.unwrap();
    scene.mails().await;
    to_six(&scene);
    let due = outbox.due(9).await.unwrap().remove(0);
    let next = outbox.claim(&due).await.unwrap().unwrap();
    assert_ne!(next.message_digest("words"), first.message_digest("words"), "another day");
    assert_eq!(outbox.report_sent(&second).await, Ok(false), "of the day before");
}
