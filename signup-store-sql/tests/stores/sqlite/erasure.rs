//! What the files of a database keep of an erased person.

use std::path::PathBuf;

use signup_core::{
    Capacity, EventPatch, NewEvent, NewOrganization, NewShift, NewSignup, Scopes, Service, date,
};
use signup_store_sql::SqliteStore;

/// One of 200 volunteers is erased while the database is in use: no file has the name, the address or the answer any more.
#[tokio::test]
async fn no_file_has_anything_of_an_erased_person() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::new(SqliteStore::open(&folder.path().join("signup.db")).await.unwrap());
    let organization = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(organization).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(500).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), date(2999, 6, 5), "UTC".parse().unwrap());
    let created = session.create_event(drive.shift(shift)).await.unwrap();
    session.patch_event(created.event.id, EventPatch::new().published(true)).await.unwrap();
    for number in 0..200 {
        let (name, email) = match number {
            100 => ("Erased Person".to_owned(), "erased.person@example.org".to_owned()),
            _ => (format!("Volunteer {number}"), format!("volunteer.{number}@example.org")),
        };
        let new = NewSignup::new(name.parse().unwrap(), email.parse().unwrap());
        let form = service.volunteers().form_of(organization.id, [created.shifts[0].id]).await.unwrap();
        form.sign_up(new).await.unwrap().into_places().unwrap();
    }
    let files_with = |text: &str| {
        let has_text = |path: &PathBuf| {
            let content = std::fs::read(path).unwrap();
            content.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
        };
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        files.filter(has_text).count()
    };
    assert_ne!(files_with("erased.person@example.org"), 0);
    let erased =
        service.admin().erase_signups(organization.id, &"erased.person@example.org".parse().unwrap()).await;
    assert_eq!(erased.unwrap(), 1);
    assert_eq!((files_with("erased.person"), files_with("Erased Person")), (0, 0));
    assert_ne!(files_with("volunteer.199@example.org"), 0, "the others are there");
}
