import Foundation
import Glibc

/// The deployments of a collection on this machine.
///
///     NAME/versions/DEPLOYMENT/…    whole deployments, with their manifests
///     NAME/current                  a link to the one that is used next
///     NAME/incoming/…               one that is on its way
///
/// A deployment takes its place in one step, when all its files are there and are what the manifest
/// says. Whoever uses one holds a shared lock on it; those that nobody uses are removed when another one
/// has come.
struct CollectionStore {
  /// A deployment that is in use until this value goes.
  final class Use: Sendable {
    /// Its folder.
    let folder: URL
    private let descriptor: Int32

    fileprivate init?(_ folder: URL) {
      let descriptor: Int32 = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      guard flock(descriptor, LOCK_SH) == 0,
        FileManager.default.fileExists(
          atPath: folder.appendingPathComponent(CollectionManifest.fileName).path)
      else {
        close(descriptor)
        return nil
      }
      self.folder = folder
      self.descriptor = descriptor
    }

    deinit { close(descriptor) }
  }

  private let home: URL
  private let identifier: String

  /// The store of a collection.
  ///
  /// - Parameter root: where all collections are; nil for the user's data folder.
  init(_ identifier: String, root: URL? = nil) throws {
    guard CollectionManifest.isName(identifier) else {
      throw MLModelError(
        .modelCollection, "'\(identifier)' is no name of a model collection.")
    }
    self.identifier = identifier
    let folder: URL =
      root
      ?? FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".local/share")
    home = folder.appendingPathComponent("atelier/collections/\(identifier)")
  }

  private var versions: URL { home.appendingPathComponent("versions") }
  private var link: String { home.appendingPathComponent("current").path }

  /// The deployment that is here, to be used; nil where there is none.
  func current() -> Use? {
    // A deployment may be removed between reading the link and locking it; there is another then.
    for _ in 0..<10 {
      guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
        return nil
      }
      if let use = Use(home.appendingPathComponent(name)) { return use }
    }
    return nil
  }

  /// The manifest of a deployment.
  func manifest(of use: Use) throws -> CollectionManifest {
    try CollectionManifest(
      Data(contentsOf: use.folder.appendingPathComponent(CollectionManifest.fileName)),
      for: identifier)
  }

  /// Brings a deployment here and lets it take the place of the one before.
  ///
  /// - Parameter progress: gets the share that has arrived, 0 to 1.
  func install(
    _ manifest: CollectionManifest, from source: CollectionSource, progress: (Double) -> Void
  ) throws {
    let manager = FileManager.default
    try manager.createDirectory(at: versions, withIntermediateDirectories: true)
    let lock: Int32 = open(home.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw MLModelError(.modelCollection, "The folder '\(home.path)' cannot be locked.")
    }
    defer { close(lock) }
    let place: URL = versions.appendingPathComponent(manifest.deployment)
    if manager.fileExists(atPath: place.path) {
      // An earlier deployment comes back; nobody may have changed what it is.
      let file: URL = place.appendingPathComponent(CollectionManifest.fileName)
      guard try CollectionManifest(Data(contentsOf: file), for: identifier) == manifest else {
        throw MLModelError(
          .modelCollection,
          "The model collection '\(identifier)' has other files under the deployment"
            + " '\(manifest.deployment)' that is here already. Give the new deployment a new name.")
      }
    } else {
      let incoming: URL = home.appendingPathComponent("incoming/\(manifest.deployment)")
      let total: Double = max(1, manifest.files.reduce(0) { $0 + Double($1.size) })
      var arrived: Double = 0
      for file in manifest.files {
        try source.bring(file, to: incoming.appendingPathComponent(file.path))
        arrived += Double(file.size)
        progress(arrived / total)
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      try encoder.encode(manifest).write(
        to: incoming.appendingPathComponent(CollectionManifest.fileName))
      _ = try manager.replaceItemAt(place, withItemAt: incoming)
    }
    let fresh: String = "\(link).\(UUID().uuidString)"
    try manager.createSymbolicLink(
      atPath: fresh, withDestinationPath: "versions/\(manifest.deployment)")
    guard rename(fresh, link) == 0 else {
      throw MLModelError(.modelCollection, "The link '\(link)' cannot be replaced.")
    }
    clean(keeping: manifest.deployment)
  }

  /// Removes deployments that nobody uses, and what arrived of others.
  private func clean(keeping deployment: String) {
    let manager = FileManager.default
    try? manager.removeItem(at: home.appendingPathComponent("incoming"))
    for name in (try? manager.contentsOfDirectory(atPath: versions.path)) ?? []
    where name != deployment {
      let folder: URL = versions.appendingPathComponent(name)
      let descriptor: Int32 = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? manager.removeItem(at: folder) }
      close(descriptor)
    }
  }
}
