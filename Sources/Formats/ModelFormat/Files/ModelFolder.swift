import Foundation

/// Checks the path at which a writer is to write a model as a folder.
package enum ModelFolder {
  /// Throws if something other than an empty folder or a model of this kind exists at the path. So a writer deletes
  /// nothing that is not a model.
  ///
  /// - Parameters:
  ///   - kind: The kind of model, in words: “package”.
  ///   - known: The names that a folder of this kind may contain.
  ///   - wayOut: A sentence for the error if a file exists at the path. The sentence says what the user can do.
  package static func checkDestination(
    _ target: URL, of kind: String, contents known: Set<String>, wayOut: String
  ) throws {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    guard manager.fileExists(atPath: target.path, isDirectory: &isDirectory) else { return }
    let name = "'\(target.lastPathComponent)'"
    guard isDirectory.boolValue else {
      throw ModelFormatError(
        code: .unwritable, message: "A \(kind) is a folder, but \(name) is a file. \(wayOut)")
    }
    let contents: [String] = (try? manager.contentsOfDirectory(atPath: target.path)) ?? [""]
    guard known.isSuperset(of: contents) else {
      throw ModelFormatError(
        code: .unwritable,
        message:
          "The folder \(name) contains files that do not belong to a \(kind), so it is not replaced. "
          + "Choose another name.")
    }
  }
}
