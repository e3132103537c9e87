import Files
import Foundation

extension FileManager {
  /// Replaces a file or folder with another file or folder. Apps save updated models with this method. The original
  /// file or folder need not exist.
  ///
  /// On Linux, Foundation's method of this name fails for folders that are not empty, such as compiled models. For a
  /// call with two arguments, Swift chooses the method here, which exchanges the names of the two items in one step. If
  /// the app is killed during the call, the next start of the app finds either the complete old model or the complete
  /// new model.
  ///
  /// - Returns: `originalItemURL`, where the new item now is.
  /// - Throws: `CocoaError` with a message. If the method throws, it has changed nothing.
  public func replaceItemAt(_ originalItemURL: URL, withItemAt newItemURL: URL) throws -> URL? {
    for url in [originalItemURL, newItemURL] where !url.isFileURL {
      throw Self.error(.fileWriteUnsupportedScheme, "\(url.absoluteString) is not a file.", url)
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
