//! Turning reminders and messages off, and on again.

use signup_core::*;

use crate::news::World;
use crate::scene::address;

/// Delivers all mails that are due, also those of jobs. Returns the local part of each address with the kind of its mail, in order,
/// and the secret of each.
async fn mails(world: &World) -> Vec<(String, Secret)> {
    let mut mails = vec![];
    for _ in 0..3 {
        mails.extend(world.scene.mails().await);
        world.wait(1);
    }
    let named = mails.into_iter().map(|mail| {
        let kind = match &mail.content {
            MailContent::News(news) if news.is_only_reminder() => "reminder",
            MailContent::News(_) => "news",
            MailContent::Message(_) => "message",
            _ => "other",
        };
        let (name, _) = mail.recipient().as_str().split_once('@').unwrap();
        (format!("{kind} to {name}"), mail.secret.unwrap())
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    named
}

/// Returns the secret of the mail with this name. Asserts that there are these mails.
async fn secret(world: &World, expected: &[&str], name: &str) -> Secret {
    let mails = mails(world).await;
    let names: Vec<_> = mails.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expected);
    mails.into_iter().find(|(found, _)| found == name).unwrap().1
}

async fn send(world: &World) {
    let new = NewMessage::new("Bring gloves".parse().unwrap(), "It will be cold.".parse().unwrap());
    world.admin.send_message(world.event.id, new).await.unwrap();
}

async fn world_with_places() -> (World, Secret) {
    let world = World::start().await;
    for name in ["ada", "bob"] {
        world.sign_up(name, "Ann", 0).await.unwrap();
    }
    let confirmation = secret(&world, &["news to ada", "news to bob"], "news to ada").await;
    (world, confirmation)
}

#[tokio::test]
async fn an_address_turns_messages_and_reminders_off_and_on_by_the_link_of_one_of_them() {
    let (world, confirmation) = world_with_places().await;
    let volunteers = world.scene.service.volunteers();
    let both = ["message to ada", "message to bob"];
    send(&world).await;
    let messages = secret(&world, &both, "message to ada").await;
    let choice = volunteers.mail_choice(&messages).await.unwrap();
    assert_eq!((choice.subscription, choice.is_on), (Subscription::Messages, true));
    for _ in 0..2 {
        volunteers.choose_mails(&messages, false).await.unwrap();
    }
    assert!(!volunteers.mail_choice(&messages).await.unwrap().is_on);
    send(&world).await;
    secret(&world, &["message to bob"], "message to bob").await;

    world.wait_until("2027-06-05T10:00:00Z".parse().unwrap());
    let reminders = secret(&world, &["reminder to ada", "reminder to bob"], "reminder to ada").await;
    assert_eq!(volunteers.mail_choice(&reminders).await.unwrap().subscription, Subscription::Reminders);
    volunteers.choose_mails(&reminders, false).await.unwrap();
    volunteers.choose_mails(&messages, true).await.unwrap();
    send(&world).await;
    secret(&world, &both, "message to ada").await;
    world.move_event("2027-06-08", true).await.unwrap();
    world.wait_until("2027-06-07T10:00:00Z".parse().unwrap());
    secret(&world, &["reminder to bob"], "reminder to bob").await;
    world.cancel_event(false).await.unwrap();
    secret(&world, &["news to ada", "news to bob"], "news to ada").await;

    assert_eq!(volunteers.mail_choice(&confirmation).await, Err(Error::NotFound), "another mail");
    assert_eq!(volunteers.choose_mails(&confirmation, false).await, Err(Error::NotFound));
    assert_eq!(volunteers.choose_mails(&Secret::generate(), false).await, Err(Error::NotFound));
    world.wait(Link::LIFETIME.as_secs());
    assert_eq!(volunteers.choose_mails(&reminders, true).await, Err(Error::NotFound), "expired");
}

#[tokio::test]
async fn what_an_address_has_turned_off_is_handed_out_and_erased_with_it() {
    let (world, _) = world_with_places().await;
    world.wait_until("2027-06-05T10:00:00Z".parse().unwrap());
    let reminders = secret(&world, &["reminder to ada", "reminder to bob"], "reminder to ada").await;
    world.scene.service.volunteers().choose_mails(&reminders, false).await.unwrap();
    let admin = world.scene.service.admin();
    let (owner, ada) = (world.event.organization, address("ada"));
    let opt_outs = async || world.admin.find_volunteer(&ada).await.unwrap().opt_outs;
    let [opt_out] = &opt_outs().await[..] else { panic!() };
    assert_eq!((opt_out.mailbox.clone(), opt_out.subscription), (ada.clone(), Subscription::Reminders));
    admin.erase_signups(owner, &ada).await.unwrap();
    assert_eq!(opt_outs().await, []);
    let choice = world.scene.service.volunteers().mail_choice(&reminders).await;
    assert_eq!(choice, Err(Error::NotFound));
}
