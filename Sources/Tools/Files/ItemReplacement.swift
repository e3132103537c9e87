import CFiles
import Foundation

/// Replaces a file or folder by another file or folder that exists already.
public enum ItemReplacement {
  /// Moves an item to a target's path and replaces the target. Both the item and the target may be a file or a folder.
  ///
  /// The item's bytes are on the disk before the names change. If the file system can exchange names, the exchange is
  /// one atomic step: other processes see the old target or the new one. An item on another file system is first copied
  /// to the target's folder.
  ///
  /// - Throws: `FileError`. The target is then unchanged.
  public static func replace(_ target: String, with item: String) throws {
    var (old, new) = (stat(), stat())
    guard lstat(item, &new) == 0 else { throw FileError(item, "put in another's place") }
    let hasOld: Bool = lstat(target, &old) == 0
    guard !hasOld || old.st_ino != new.st_ino || old.st_dev != new.st_dev else { return }
    let isFolder: Bool = new.st_mode & S_IFMT == S_IFDIR
    if isFolder {
      try Draft.synchronize(folder: item)
    } else {
      Draft.synchronize(path: item)
    }
    let code: Int32 = hasOld ? cfiles_exchange(item, target) : renamed(item, target)
    switch code {
    case 0:
      if hasOld { Draft.remove(item) }
      Draft.synchronize(path: DraftName.split(target).folder)
    case EXDEV, EINVAL, ENOSYS, ENOTSUP, EPERM:
      try copy(item, to: target, isFolder: isFolder)
      Draft.remove(item)
    default: throw FileError(target, "replaced", code: code)
    }
  }

  private static func renamed(_ item: String, _ target: String) -> Int32 {
    rename(item, target) == 0 ? 0 : errno
  }

  /// Copies an item to a draft, which then replaces the target. Used for items on another file system, and for file
  /// systems that cannot exchange names.
  private static func copy(_ item: String, to target: String, isFolder: Bool) throws {
    let draft = try Draft(of: target, isFolder: isFolder)
    do {
      if isFolder {
        for entry in Draft.entries(of: item) {
          let name: String = DraftName.split(entry).name
          try FileManager.default.copyItem(atPath: entry, toPath: "\(draft.path)/\(name)")
        }
      } else {
        let bytes: Data = try Data(
          contentsOf: URL(fileURLWithPath: item), options: .alwaysMapped)
        try bytes.withUnsafeBytes { try draft.write($0) }
      }
    } catch let error as CocoaError {
      let code: Int? = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
      throw FileError(item, "copied to '\(target)'", code: Int32(clamping: code ?? Int(EIO)))
    }
    try draft.place()
  }
}
