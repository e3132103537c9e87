import Files
import Foundation

extension SpecMessage {
  /// Writes the message to a file, which appears complete or not at all.
  ///
  /// This function writes the bytes to a draft in the same folder, and then renames the draft. A caller can therefore
  /// write a model to the file from which the model's weights are mapped.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public func write(to url: URL) throws {
    func failed(_ reason: String) -> ModelFormatError {
      ModelFormatError(code: .unwritable, message: "'\(url.path)' cannot be written: \(reason).")
    }
    do {
      let draft = try Draft(of: url.path)
      var writer = WireWriter(measuring: self, descriptor: draft.descriptor)
      encode(into: &writer)
      writer.flush()
      if let code = writer.failure { throw failed(systemMessage(code)) }
      try draft.place()
    } catch let error as FileError {
      throw failed(error.reason)
    }
  }
}
