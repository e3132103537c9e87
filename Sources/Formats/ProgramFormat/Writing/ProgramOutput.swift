import Graph
import ModelFormat

/// What all blocks of a program that is written share: names, the weight file, the set of operations.
package final class ProgramOutput {
  /// Asks for the program to be written again in a later set of operations.
  struct NeedsLaterSet: Error { let opset: Opset }

  private struct Kept: Hashable {
    let identity: Constant.Identity
    let element: ElementType
    let part: String
  }

  /// The set that the program is written in.
  let opset: Opset
  /// In which type numbers with fractions are computed.
  let real: ElementType
  /// Where weights go; nil while it is found out which set of operations the program needs.
  private let blobs: BlobFileWriter?
  private let names = UniqueNames(separator: "_", firstNumber: 1)
  private var offsets: [Kept: UInt64] = [:]

  init(_ opset: Opset, real: ElementType, blobs: BlobFileWriter?) {
    self.opset = opset
    self.real = real
    self.blobs = blobs
  }

  /// Throws where the program's set does not have what a later one has.
  func require(_ opset: Opset) throws {
    if self.opset < opset { throw NeedsLaterSet(opset: opset) }
  }

  /// A name that no other value has, as near to the wanted one as programs allow.
  func name(_ wanted: String) -> String {
    names.fresh(Self.identifier(wanted))
  }

  /// Letters, digits and underscores, no digit first.
  static func identifier(_ text: String) -> String {
    var name = String(
      text.unicodeScalars.map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
          ? Character(scalar) : "_"
      })
    if name.isEmpty || name.first?.isNumber == true { name = "_" + name }
    return name
  }

  /// Numbers as a value: in the program where they are few, else in the weight file.
  func value(_ tensor: ReferenceTensor, _ element: ElementType) throws -> Spec.MILSpec.Value {
    guard tensor.shape.count >= 16, element.blobType != nil else {
      return .numbers(tensor, element)
    }
    let offset: UInt64 = try add(element, tensor.shape.count) { tensor.packedBytes(of: element) }
    return .blob(at: offset, element, tensor.shape)
  }

  /// Numbers of a constant in a type with fractions, kept once in the weight file.
  func value(_ constant: Constant, real element: ElementType) throws -> Spec.MILSpec.Value {
    guard constant.count >= 16 else {
      return .numbers(ReferenceTensor(constant.shape, try constant.doubles()), element)
    }
    return try kept(constant, element, "") {
      let values: [Float] = try constant.floats()
      if element == .float32 { return values.withUnsafeBytes { Array($0) } }
      return values.map { Float16($0) }.withUnsafeBytes { Array($0) }
    }
  }

  /// Bytes that follow from a constant, kept once in the weight file.
  func kept(
    _ constant: Constant, _ element: ElementType, _ part: String, shape: Shape? = nil,
    _ bytes: () throws -> [UInt8]
  ) throws -> Spec.MILSpec.Value {
    let key = Kept(identity: constant.identity, element: element, part: part)
    let offset: UInt64
    if let known = offsets[key] {
      offset = known
    } else {
      offset = try add(element, (shape ?? constant.shape).count, bytes)
      offsets[key] = offset
    }
    return .blob(at: offset, element, shape ?? constant.shape)
  }

  private func add(_ element: ElementType, _ count: Int, _ bytes: () throws -> [UInt8]) throws
    -> UInt64
  {
    guard let type = element.blobType else {
      throw EngineError(.unsupported, "numbers of type \(element) cannot stand in a weight file.")
    }
    guard let blobs else { return 0 }
    return try blobs.add(type, count: count, ByteValues(try bytes()))
  }
}
