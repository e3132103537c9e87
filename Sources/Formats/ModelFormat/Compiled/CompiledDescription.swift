/// What the file `coremldata.bin` of a compiled ML Program says.
///
/// Little-endian, without padding, found out from what Apple's compiler wrote:
///
/// | bytes | |
/// |---|---|
/// | 4 | the number of the model's type, as in `Spec.Model`: 502 |
/// | 4 | a version; newer compilers repeat the specification's |
/// | 20 | zero |
/// | 8 + 7 | the length of a text, and the text: `generic` |
/// | 4 | the version of the specification |
/// | 28 | zero |
/// | 8 + n | the length of the model's description, and the message |
/// | 16 for each function | the type again, and 12 bytes of zero |
struct CompiledDescription {
  static let fileName = "coremldata.bin"
  private static let programType: UInt32 = 502
  private static let target = "generic"

  /// The version of the specification.
  var specificationVersion: Int32
  /// What goes in and comes out, and the author's words.
  var description: Spec.ModelDescription

  init(specificationVersion: Int32, description: Spec.ModelDescription) {
    self.specificationVersion = specificationVersion
    self.description = description
  }

  /// Reads the file.
  ///
  /// - Parameter name: what errors call the model.
  init(_ bytes: ByteValues, name: String) throws {
    func damaged(_ what: String) -> ModelFormatError {
      ModelFormatError(
        code: .damaged,
        message: "Model \(name): \(Self.fileName) \(what). The file may be truncated.")
    }
    guard bytes.count >= 36 else {
      throw damaged("has \(bytes.count) bytes, expected a header of 36")
    }
    let type: UInt32 = bytes.loadLittleEndian(at: 0)
    guard type == Self.programType else {
      throw damaged("begins with \(type), expected \(Self.programType), an ML Program")
    }
    let length: UInt64 = bytes.loadLittleEndian(at: 28)
    let start = 36
    // No sum overflows: the length is below the file's.
    guard length < UInt64(bytes.count), bytes.count >= start + Int(length) + 40 else {
      throw damaged("has a text of \(length) bytes at byte 28, beyond its end")
    }
    let version: UInt32 = bytes.loadLittleEndian(at: start + Int(length))
    let place: Int = start + Int(length) + 40
    let size: UInt64 = bytes.loadLittleEndian(at: place - 8)
    guard let count = Int(exactly: size), let message = bytes.slice(from: place, count: count)
    else {
      throw damaged("has a description of \(size) bytes at byte \(place), beyond its end")
    }
    specificationVersion = Int32(clamping: version)
    description = try Spec.ModelDescription(serialized: message, name: name)
  }

  /// The file's bytes for a program of as many functions.
  func bytes(functionCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }
    func addZeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
    var complete: Spec.ModelDescription = description
    if complete.metadata == nil { complete.metadata = Spec.Metadata() }
    let message: [UInt8] = complete.serialized()
    add(Self.programType)
    add(specificationVersion)
    addZeros(20)
    add(UInt64(Self.target.utf8.count))
    bytes += Array(Self.target.utf8)
    add(specificationVersion)
    addZeros(28)
    add(UInt64(message.count))
    bytes += message
    for _ in 0..<max(functionCount, 1) {
      add(Self.programType)
      addZeros(12)
    }
    return bytes
  }
}
