import Foundation
import Glibc

extension SpecMessage {
  /// Writes the message to a file, which appears complete or not at all.
  ///
  /// The bytes go to a file beside it first, which is then renamed; so a model may replace the file
  /// that its weights are mapped from.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public func write(to url: URL) throws {
    let name: String = url.lastPathComponent
    let folder: URL = url.deletingLastPathComponent()
    let draft: String = folder.appendingPathComponent(".\(name)-\(UUID().uuidString)").path
    func failed(_ code: Int32) -> ModelFormatError {
      ModelFormatError(
        code: .unwritable, message: "'\(url.path)' cannot be written: \(systemMessage(code)).")
    }
    let descriptor: Int32 = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failed(errno) }
    var writer = WireWriter(measuring: self, descriptor: descriptor)
    encode(into: &writer)
    writer.flush()
    var failure: Int32? = writer.failure
    if close(descriptor) != 0, failure == nil { failure = errno }
    if failure == nil, rename(draft, url.path) != 0 { failure = errno }
    if let failure {
      unlink(draft)
      throw failed(failure)
    }
  }
}
