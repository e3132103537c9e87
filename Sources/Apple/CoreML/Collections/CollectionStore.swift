import Foundation
import Glibc

/// The deployments of a collection on this machine.
///
///     NAME/versions/DEPLOYMENT/…    complete deployments, with their manifests
///     NAME/current                  a link to the installed deployment, for new uses
///     NAME/incoming/…               a deployment that is being downloaded
///
/// The store checks all files of a deployment against the manifest and then installs the deployment in one step. Each
/// user of a deployment holds a shared lock on the deployment's folder. After the store has installed a new deployment,
/// it removes the deployments without users.
struct CollectionStore {
  /// A use of a deployment. The use ends when this object is released.
  final class Use: Sendable {
    /// The folder of the deployment.
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

  /// Makes the store of a collection.
  ///
  /// - Parameter root: The folder that holds all collections; nil for the user's data folder.
  init(_ identifier: String, root: URL? = nil) throws {
    guard CollectionManifest.isName(identifier) else {
      throw MLModelError(
        .modelCollection, "'\(identifier)' is not a valid name of a model collection.")
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

  /// Starts a use of the installed deployment. Returns nil if no deployment is installed.
  func current() -> Use? {
    // After this method has read the link, another process may install a newer deployment and remove the deployment to
    // which the link led. Locking then fails, and the next attempt reads a link to the newer deployment.
    for _ in 0..<10 {
      guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
        return nil
      }
      if let use = Use(home.appendingPathComponent(name)) { return use }
    }
    return nil
  }

  /// Reads the manifest of a deployment.
  func manifest(of use: Use) throws -> CollectionManifest {
    try CollectionManifest(
      Data(contentsOf: use.folder.appendingPathComponent(CollectionManifest.fileName)),
      for: identifier)
  }

  /// Downloads a deployment and installs it in place of the installed deployment.
  ///
  /// - Parameter progress: A closure that is called after each file with the fraction of the bytes that are downloaded,
  ///   0 to 1.
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
    let destination: URL = versions.appendingPathComponent(manifest.deployment)
    if manager.fileExists(atPath: destination.path) {
      // A deployment of this name is still on this machine, so only the link must change. The manifest of that
      // deployment must equal `manifest`.
      let file: URL = destination.appendingPathComponent(CollectionManifest.fileName)
      guard try CollectionManifest(Data(contentsOf: file), for: identifier) == manifest else {
        throw MLModelError(
          .modelCollection,
          "The model collection '\(identifier)' has other files than the installed deployment"
            + " '\(manifest.deployment)' of the same name. Give the new deployment a new name.")
      }
    } else {
      let incoming: URL = home.appendingPathComponent("incoming/\(manifest.deployment)")
      let total: Double = max(1, manifest.files.reduce(0) { $0 + Double($1.size) })
      var arrived: Double = 0
      for file in manifest.files {
        try source.fetch(file, to: incoming.appendingPathComponent(file.path))
        arrived += Double(file.size)
        progress(arrived / total)
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      try encoder.encode(manifest).write(
        to: incoming.appendingPathComponent(CollectionManifest.fileName))
      _ = try manager.replaceItemAt(destination, withItemAt: incoming)
    }
    let fresh: String = "\(link).\(UUID().uuidString)"
    try manager.createSymbolicLink(
      atPath: fresh, withDestinationPath: "versions/\(manifest.deployment)")
    guard rename(fresh, link) == 0 else {
      throw MLModelError(.modelCollection, "The link '\(link)' cannot be replaced.")
    }
    clean(keeping: manifest.deployment)
  }

  /// Removes partial downloads. Also removes all deployments that nobody uses, except for the deployment with the given
  /// name.
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
