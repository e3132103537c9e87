import Files
import Foundation

extension FileManager {
  /// Puts an item in the place of another, files and folders alike: how an app saves a model that has
  /// learned.
  ///
  /// Foundation's own method on Linux fails for folders that are not empty, as compiled models are. A
  /// call with two arguments takes this one, in which the names change in one step: an app that is
  /// killed finds the old model or the new one when it starts again. There need not be an old one.
  ///
  /// - Returns: Where the item is now.
  /// - Throws: `CocoaError` with a sentence; nothing has changed then.
  public func replaceItemAt(_ originalItemURL: URL, withItemAt newItemURL: URL) throws -> URL? {
    for url in [originalItemURL, newItemURL] where !url.isFileURL {
      throw Self.error(.fileWriteUnsupportedScheme, "\(url.absoluteString) is no file.", url)
    }
    do {
      try ItemReplacement.replace(originalItemURL.path, with: newItemURL.path)
    } catch let error as FileError {
      let code: CocoaError.Code =
        switch error.code {
        case ENOENT: .fileNoSuchFile
        case EACCES, EPERM: .fileWriteNoPermission
        case ENOSPC: .fileWriteOutOfSpace
        case EROFS: .fileWriteVolumeReadOnly
        default: .fileWriteUnknown
        }
      throw Self.error(code, error.description, originalItemURL)
    }
    return originalItemURL
  }

  private static func error(_ code: CocoaError.Code, _ sentence: String, _ url: URL) -> CocoaError {
    CocoaError(
      code, userInfo: [NSLocalizedDescriptionKey: sentence, NSFilePathErrorKey: url.path])
  }
}
