import Backends
import CKernels
import Graph

/// A constant matrix `[columns, inner]` that stays as its file keeps it, in a form that kernels widen while they
/// read it: float16, bfloat16, 8 or 4 bits with factors per block, palettes of 1 to 8 bits.
struct StoredMatrix: Sendable {
  /// The extents.
  let columns: Int, inner: Int
  /// The small tables beside the codes, packed once for the network.
  let weights: [PackedWeight]
  private let codes: StoredValues
  private let kind: ck_stored_kind
  private let bits: Int
  private var scale: PackedWeight?, shift: PackedWeight?, table: PackedWeight?
  private var scaleColumns = 0, scaleInner = 0, tableColumns = 0
  private var isRounded = false

  /// Nil for values that no kernel reads as they are; those are widened once, when they are packed.
  init?(_ constant: Constant, in packed: PackedWeights) {
    guard constant.shape.rank == 2, constant.count > 0, let stored = constant.stored else {
      return nil
    }
    (columns, inner) = (constant.shape[0], constant.shape[1])
    switch stored.meaning {
    case .plain:
      codes = stored
    case .palette(let indices, let tables, _):
      let (groups, entries) = (tables.shape.dimensions.prefix(2), tables.shape[2])
      guard let inside = indices.stored, indices.shape == constant.shape, groups[1] == 1,
        tables.shape[3] == 1, let element = inside.plainElement, element.isUnsignedCode,
        entries == 1 << element.bitCount
      else { return nil }
      codes = inside
      table = packed.floats(of: [tables])
      tableColumns = columns / groups[0]
    case .affine(let numbers, let scaled):
      guard let inside = numbers.stored, let element = inside.plainElement,
        [.int8, .uint8, .int4, .uint4].contains(element), let shift = scaled.shift(in: packed)
      else { return nil }
      codes = inside
      scale = packed.floats(of: [scaled.scale])
      self.shift = shift.weight
      scaleColumns = columns / scaled.scale.shape[0]
      scaleInner = inner / scaled.scale.shape[1]
      isRounded = scaled.difference == .float16 || scaled.product == .float16
    default: return nil
    }
    guard let element = codes.plainElement,
      let (kind, bits) = StoredMatrix.kind(of: element, isPalette: table != nil),
      codes.byteCount == element.byteCount(of: constant.count)
    else { return nil }
    self.kind = kind
    self.bits = bits
    weights = [scale, shift, table].compactMap { $0 }
    // Rows must fill whole bytes; blocks of a row whole vectors.
    guard inner * bits % 8 == 0, scale == nil || scaleInner == inner || scaleInner % 16 == 0
    else { return nil }
  }

  private static func kind(of element: ElementType, isPalette: Bool) -> (ck_stored_kind, Int)? {
    if isPalette { return (CK_STORED_PALETTE, element.bitCount) }
    switch element {
    case .float16: return (CK_STORED_FLOAT16, 16)
    case .bfloat16: return (CK_STORED_BFLOAT16, 16)
    case .int8, .int4: return (CK_STORED_SIGNED, element.bitCount)
    case .uint8, .uint4: return (CK_STORED_UNSIGNED, element.bitCount)
    default: return nil
    }
  }

  /// The size of the numbers as float32, in bytes.
  var widenedByteCount: Int { columns * inner * 4 }

  /// Calls the closure with the matrix as kernels take it, valid during the call.
  private func withMatrix(_ body: (UnsafePointer<ck_stored_matrix>) -> Int32) {
    let status: Int32? = codes.withPlainBytes { bytes in
      var matrix = ck_stored_matrix()
      matrix.kind = kind
      matrix.bits = Int32(bits)
      matrix.columns = Int64(columns)
      matrix.inner = Int64(inner)
      matrix.codes = bytes.baseAddress
      matrix.scale = scale.map { UnsafePointer($0.floats) }
      matrix.shift = shift.map { UnsafePointer($0.floats) }
      matrix.scale_columns = Int64(scaleColumns)
      matrix.scale_inner = Int64(scaleInner)
      matrix.table = table.map { UnsafePointer($0.floats) }
      matrix.table_columns = Int64(tableColumns)
      matrix.rounds_to_float16 = isRounded ? 1 : 0
      return withUnsafePointer(to: matrix, body)
    }
    requireNative(status ?? -1)
  }

  /// `destination[row, column] = f(bias[column] + Σ source[row, i] · matrix[column, i])`, dense.
  func multiply(
    _ source: UnsafePointer<Float>, rows: Int, bias: UnsafePointer<Float>?,
    activation: (function: ck_function, alpha: Float, beta: Float),
    into destination: UnsafeMutablePointer<Float>
  ) {
    withMatrix {
      ck_stored_product(
        $0, source, Int64(rows), bias, activation.function, activation.alpha, activation.beta,
        destination)
    }
  }

  /// The numbers of one row of the matrix, as many as `inner`.
  func widen(row: Int, into destination: UnsafeMutablePointer<Float>) {
    withMatrix { ck_stored_rows($0, Int64(row), 1, destination) }
  }
}

extension StoredValues {
  /// The type of plain numbers, from the lowest bit up; nil for others.
  fileprivate var plainElement: ElementType? {
    guard case .plain(_, let element, let order) = meaning else { return nil }
    return element.isPacked && order != .lowestFirst ? nil : element
  }
}

extension ElementType {
  /// Whether whole numbers without a sign, of 8 bits at most, stand for entries of a table.
  fileprivate var isUnsignedCode: Bool {
    [.uint1, .uint2, .uint3, .uint4, .uint6, .uint8].contains(self)
  }
}

/// What is added to scaled codes, if anything.
private struct ShiftOfCodes {
  let weight: PackedWeight?
}

extension StoredValues.ScaledCodes {
  /// What is added after scaling, `−zero · scale`; no weight where that is 0. Nil where it cannot be said that
  /// way: zeros for other blocks, or with fractions that are rounded before they are scaled.
  fileprivate func shift(in packed: PackedWeights) -> ShiftOfCodes? {
    guard let zero else { return ShiftOfCodes(weight: nil) }
    guard zero.shape == scale.shape else { return nil }
    if difference == .float16 {
      guard let zeros = try? zero.floats(), zeros.allSatisfy({ $0 == $0.rounded() }) else {
        return nil
      }
    }
    let (zeros, scales) = (zero, scale)
    let weight = packed.weight(
      "shifts of codes", of: [zeros, scales], byteCount: scales.count * 4
    ) { memory in
      // Safe: the memory holds as many floats as there are scales.
      let target = memory.assumingMemoryBound(to: Float.self)
      for (index, (zero, scale)) in zip(try zeros.floats(), try scales.floats()).enumerated() {
        target[index] = -zero * scale
      }
    }
    return ShiftOfCodes(weight: weight)
  }
}
