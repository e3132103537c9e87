import Foundation

/// A place where a model is to be written as a folder.
package enum ModelFolder {
  /// Throws where something else is in the way than an empty folder or a model of the kind: nothing is deleted
  /// that is not a model.
  ///
  /// - Parameters:
  ///   - kind: What is written, in words: “package”.
  ///   - known: The names that such a folder holds.
  ///   - wayOut: What to do where a file is in the way.
  package static func checkPlace(
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
        message: "The folder \(name) holds other things than a \(kind), so it is not replaced. "
          + "Choose another name.")
    }
  }
}
