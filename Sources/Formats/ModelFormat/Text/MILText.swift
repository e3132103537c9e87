/// An ML Program in the text form that Apple's compiler writes: `model.mil` of a `.mlmodelc`.
///
/// What is read and printed again is the same text, byte for byte, where it is laid out as the compiler
/// lays it out. Beside the program this keeps what the text says and the message cannot.
public struct MILText: Equatable, Sendable {
  /// The version of the language: `program(1.3)`.
  public struct Version: Equatable, Sendable {
    /// The number before the point.
    public var major: Int
    /// The number after the point.
    public var minor: Int

    /// A version by its two numbers.
    public init(_ major: Int, _ minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Whether scalars have types of their own, `fp32(0x1p+0)`; in version 1.0 they are tensors without
    /// dimensions, `tensor<fp32, []>(0x1p+0)`.
    var namesScalars: Bool { (major, minor) > (1, 0) }

    /// The version that Apple's compiler writes for a model of this version of the specification.
    public init(specificationVersion: Int32) {
      self.init(1, specificationVersion >= 9 ? 3 : 0)
    }
  }

  /// The version that the text begins with.
  public var version: Version
  /// The program.
  public var program: Spec.MILSpec.Program
  /// The functions' names in the order of the text; the message has none.
  public var functionNames: [String]
  /// Whether the text ends with the end of a line.
  public var endsWithNewline: Bool

  /// The text of a program, its functions in the order of their names.
  public init(_ program: Spec.MILSpec.Program, version: Version) {
    self.version = version
    self.program = program
    functionNames = program.functions.keys.sorted()
    endsWithNewline = false
  }

  /// Reads a text.
  ///
  /// - Parameter name: what errors call the model, such as `'x.mlmodelc'`.
  /// - Throws: `ModelFormatError`, whose sentence names the line, and the operation where it is within one.
  public init(parsing text: ByteValues, name: String = "in memory") throws {
    var reader = MILTextReader(text, name: name)
    self = try reader.readProgram()
  }

  init(version: Version, endsWithNewline: Bool) {
    self.version = version
    self.endsWithNewline = endsWithNewline
    program = Spec.MILSpec.Program()
    program.version = Int64(version.major)
    functionNames = []
  }

  /// The text's bytes.
  public var utf8: [UInt8] {
    var writer = MILTextWriter(namesScalars: version.namesScalars)
    writer.write(self)
    return writer.bytes
  }
}

extension MILText: CustomStringConvertible {
  /// The text.
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}

extension Spec.MILSpec.Function {
  /// The block that the function's own operation set names, else the first by name.
  var block: Spec.MILSpec.Block? {
    blockSpecializations[opset] ?? blockSpecializations.min { $0.key < $1.key }?.value
  }
}
