import Foundation
import ModelFormat
import ProgramFormat

/// Compresses the constants of ML Programs into operations of the family `constexpr_*`.
///
/// The operations of iOS 16 have attributes as operands. They can express palettes of complete tensors, 8 bits with a
/// scale per channel, and sparse tensors that are not quantised. All other compressed forms need operations of iOS 18.
/// If the program gets operations of iOS 18, functions of older opsets are raised to the opset of iOS 18.
struct ProgramCompression {
  let settings: CompressionSettings
  private let file: ModelFile
  private let weights: BlobFileWriter
  private let weightPlaces: ProgramWeights
  /// Whether the compressed program uses operations of iOS 18.
  private let takesNewForms: Bool
  private var sources: [String: BlobFile] = [:]
  private var copied: [String: UInt64] = [:]
  private var made:
    [String: (operations: [Spec.MILSpec.Operation], tensor: CompressionReport.Tensor)]
  private(set) var report = CompressionReport()

  init(
    _ program: Spec.MILSpec.Program, of file: ModelFile, into weights: BlobFileWriter,
    _ settings: CompressionSettings
  ) throws {
    (self.settings, self.file, self.weights) = (settings, file, weights)
    weightPlaces = ProgramWeights(program)
    made = [:]
    let widths: Set<Int> = Set(Array(settings.widths.values) + [settings.bits])
    let isLinear: Bool = settings.mode == .linear || settings.mode == .linearSymmetric
    if let odd = widths.first(where: { $0 == 5 || $0 == 7 }) {
      throw CompressionError(
        "ML Programs have no weights of \(odd) bits, expected 8, 6, 4, 3, 2 or 1.")
    }
    let needsNewForms: Bool =
      settings.groupSize != nil || widths.contains(3)
      || (isLinear && widths.contains { $0 < 8 })
      || (settings.sparsity != nil && widths.contains { $0 <= 8 })
    takesNewForms =
      needsNewForms || program.functions.values.contains { Self.version(of: $0.opset) >= 8 }
  }

  /// Returns the number in an opset's name: 8 for `CoreML8`, which is the opset of iOS 18.
  private static func version(of opset: String) -> Int { Int(opset.dropFirst("CoreML".count)) ?? 5 }

  /// The number of the oldest opset that has the operations of the compressed program.
  private var leastOpset: Int { takesNewForms ? 8 : 6 }

  /// The oldest version of the specification that has the opset ``leastOpset``.
  var leastSpecificationVersion: Int32 { Int32(leastOpset) + 1 }

  /// Compresses those constants of a program that are weights, and copies the other constants to the new weight file.
  /// Returns the new program.
  mutating func apply(to program: Spec.MILSpec.Program) throws -> Spec.MILSpec.Program {
    var result: Spec.MILSpec.Program = program
    for (name, var function) in program.functions.sorted(by: { $0.key < $1.key }) {
      guard var block = function.blockSpecializations[function.opset] else { continue }
      if Self.version(of: function.opset) < leastOpset {
        guard !block.holdsCompressedConstants else {
          throw CompressionError(
            "Function '\(name)' has compressed weights of an older form already. Compress the"
              + " original model instead.")
        }
        function.opset = "CoreML\(leastOpset)"
      }
      try apply(to: &block)
      function.blockSpecializations = [function.opset: block]
      result.functions[name] = function
    }
    return result
  }

  private mutating func apply(to block: inout Spec.MILSpec.Block) throws {
    var operations: [Spec.MILSpec.Operation] = []
    operations.reserveCapacity(block.operations.count)
    for var operation in block.operations {
      if let compressed = try compress(operation) {
        operations += compressed
        continue
      }
      for key in operation.attributes.keys {
        if let value = operation.attributes[key] { operation.attributes[key] = try moved(value) }
      }
      for key in operation.inputs.keys {
        guard var argument = operation.inputs[key] else { continue }
        for index in argument.arguments.indices {
          if case .value(let value)? = argument.arguments[index].binding {
            argument.arguments[index].binding = .value(try moved(value))
          }
        }
        operation.inputs[key] = argument
      }
      for index in operation.blocks.indices { try apply(to: &operation.blocks[index]) }
      operations.append(operation)
    }
    block.operations = operations
  }

  // MARK: - Constants that are copied

  private mutating func blob(_ location: Spec.MILSpec.Value.BlobFileValue) throws -> BlobFile.Blob {
    let source: BlobFile
    if let known = sources[location.fileName] {
      source = known
    } else {
      source = try file.blobFile(named: location.fileName)
      sources[location.fileName] = source
    }
    return try source.blob(at: location.offset)
  }

  /// Copies a value to the new weight file, and returns the value with its offset in the new file. A value that several
  /// functions share is copied once.
  private mutating func moved(_ value: Spec.MILSpec.Value) throws -> Spec.MILSpec.Value {
    guard case .blobFileValue(let location)? = value.value else { return value }
    let key = "\(location.fileName) \(location.offset)"
    let offset: UInt64
    if let known = copied[key] {
      offset = known
    } else {
      let blob: BlobFile.Blob = try blob(location)
      offset = try weights.add(blob.dataType, count: blob.count, blob.bytes)
      copied[key] = offset
    }
    var moved: Spec.MILSpec.Value = value
    moved.value = .blobFileValue(
      .making {
        $0.fileName = ModelPackage.weightFileName
        $0.offset = offset
      })
    return moved
  }

  // MARK: - Constants that are compressed

  /// Compresses a constant. Returns the operations that replace it, or nil if the constant must be copied instead.
  private mutating func compress(_ operation: Spec.MILSpec.Operation) throws
    -> [Spec.MILSpec.Operation]?
  {
    guard operation.type == "const", let name = operation.outputs.first?.name,
      settings.includes(name), let value = operation.attributes["val"],
      let type = try WrittenType(value.type), type.kind == .tensor,
      type.element == .float16 || type.element == .float32,
      let shape = type.knownExtents,
      let grid = weightPlaces.grid(name, shape), grid.count >= settings.smallest,
      case .blobFileValue(let location)? = value.value
    else { return nil }
    let key = "\(name) \(location.fileName) \(location.offset)"
    if let known = made[key] { return known.operations }
    let blob: BlobFile.Blob = try blob(location)
    guard blob.count == grid.count else {
      throw CompressionError(
        "The constant '\(name)' has \(blob.count) numbers in the weight file, expected \(grid.count)."
      )
    }
    let values: [Float]
    switch blob.dataType {
    case .float16: values = blob.bytes.float32FromFloat16()
    case .float32: values = FloatValues(bytes: blob.bytes)?.array() ?? []
    default: return nil
    }
    guard values.allSatisfy(\.isFinite) else { return nil }
    let width: Int = settings.bits(of: name)
    if width == 16, settings.sparsity == nil, type.element == .float16 || !values.fitHalf {
      return nil
    }
    let before: UInt64 = UInt64(blob.bytes.count)
    var writer = ConstantWriter(
      name: name, type: type.element, shape: shape, weights: weights, isNew: takesNewForms)
    try writer.write(values, grid, settings, bits: width)
    let tensor = CompressionReport.Tensor(
      layer: name, count: grid.count, bits: width, bytesBefore: Int(before),
      bytesAfter: writer.byteCount)
    made[key] = (writer.operations, tensor)
    report.tensors.append(tensor)
    return writer.operations
  }
}

extension Spec.MILSpec.Block {
  fileprivate var holdsCompressedConstants: Bool {
    operations.contains { operation in
      operation.type.hasPrefix("constexpr_")
        || operation.blocks.contains(where: \.holdsCompressedConstants)
    }
  }
}

extension WrittenType {
  /// The extents. Nil if any extent is unknown.
  fileprivate var knownExtents: [Int]? {
    let known: [Int]? = extents?.compactMap { $0 }
    return known?.count == extents?.count ? known : nil
  }
}
