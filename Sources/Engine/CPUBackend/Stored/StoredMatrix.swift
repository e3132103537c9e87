import Backends
import CKernels
import Graph

/// A constant matrix `[columns, inner]` in its file's stored form, which kernels decode while they read. The form is
/// float32, float16, bfloat16, integers of 8 or 4 bits with scales per block, or indices of 1 to 8 bits into a palette.
struct StoredMatrix: Sendable {
  /// `columns` is the number of the matrix's rows, which equals the number of the product's columns. `inner` is the
  /// number of elements in each row of the matrix.
  let columns: Int, inner: Int
  /// The scales, shifts and palettes, packed once for the network.
  let weights: [PackedWeight]
  private let elements: StoredValues
  private let kind: ck_stored_kind
  private let bits: Int
  private var scale: PackedWeight?, shift: PackedWeight?, table: PackedWeight?
  private var scaleColumns = 0, scaleInner = 0, tableColumns = 0
  /// Whether decoded values are rounded to float16, as the stored form states.
  private var isRounded = false

  /// Nil for stored forms that no kernel reads. Constants in such forms are decoded once, when they are packed.
  init?(_ constant: Constant, in packed: PackedWeights) {
    guard constant.shape.rank == 2, constant.count > 0, let stored = constant.stored else {
      return nil
    }
    (columns, inner) = (constant.shape[0], constant.shape[1])
    switch stored.meaning {
    case .plain:
      elements = stored
    case .palette(let indices, let tables, _):
      let (groups, entries) = (tables.shape.dimensions.prefix(2), tables.shape[2])
      guard let inside = indices.stored, indices.shape == constant.shape, groups[1] == 1,
        tables.shape[3] == 1, let element = inside.plainElement, element.isUnsigned,
        entries == 1 << element.bitCount
      else { return nil }
      elements = inside
      table = packed.floats(of: [tables])
      tableColumns = columns / groups[0]
    case .affine(let numbers, let scaled):
      guard let inside = numbers.stored, let element = inside.plainElement,
        [.int8, .uint8, .int4, .uint4].contains(element), let shift = scaled.shift(in: packed)
      else { return nil }
      elements = inside
      scale = packed.floats(of: [scaled.scale])
      self.shift = shift.weight
      scaleColumns = columns / scaled.scale.shape[0]
      scaleInner = inner / scaled.scale.shape[1]
      isRounded = scaled.difference == .float16 || scaled.product == .float16
    default: return nil
    }
    guard let element = elements.plainElement,
      let (kind, bits) = StoredMatrix.kind(of: element, isPalette: table != nil),
      elements.byteCount == element.byteCount(of: constant.count)
    else { return nil }
    self.kind = kind
    self.bits = bits
    weights = [scale, shift, table].compactMap { $0 }
    // Rows must fill entire bytes, and blocks of a row must fill entire vectors.
    guard inner * bits % 8 == 0, scale == nil || scaleInner == inner || scaleInner % 16 == 0
    else { return nil }
  }

  private static func kind(of element: ElementType, isPalette: Bool) -> (ck_stored_kind, Int)? {
    if isPalette { return (CK_STORED_PALETTE, element.bitCount) }
    switch element {
    case .float16: return (CK_STORED_FLOAT16, 16)
    case .bfloat16: return (CK_STORED_BFLOAT16, 16)
    case .float32: return (CK_STORED_FLOAT32, 32)
    case .int8, .int4: return (CK_STORED_SIGNED, element.bitCount)
    case .uint8, .uint4: return (CK_STORED_UNSIGNED, element.bitCount)
    default: return nil
    }
  }

  /// Whether the file stores the matrix in fewer bytes than a packed matrix takes.
  var isCompressed: Bool { kind != CK_STORED_FLOAT32 }

  /// The number of rows up to which a product with the stored matrix is preferred to one with a packed matrix.
  var mostRows: Int {
    // For one row, reading the matrix takes the time, so float32 need not be packed either.
    !isCompressed ? 1 : bits <= 8 ? Int.max : 48
  }

  /// The number of rows from which widening the matrix in every run is preferred to a packed matrix. Nil if it never is.
  var leastPanelRows: Int? { !isCompressed ? nil : bits <= 8 ? 18 : 256 }

  /// The same as ``mostRows`` for products in bfloat16, in which packed matrices take half as many bytes.
  var mostBFloat16Rows: Int { isCompressed ? 16 : 0 }

  /// The size of the matrix as float32, in bytes.
  var decodedByteCount: Int { columns * inner * 4 }

  /// Calls the closure with the matrix's C description, which is valid during the call.
  private func withMatrix(_ body: (UnsafePointer<ck_stored_matrix>) -> Int32) {
    let status: Int32? = elements.withPlainBytes { bytes in
      var matrix = ck_stored_matrix()
      matrix.kind = kind
      matrix.bits = Int32(bits)
      matrix.columns = Int64(columns)
      matrix.inner = Int64(inner)
      matrix.elements = bytes.baseAddress
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

  /// Computes `destination[row, column] = f(bias[column] + Σ source[row, i] · matrix[column, i])`. All tensors are
  /// dense.
  func multiply(
    _ source: UnsafePointer<Float>, rows: Int, bias: UnsafePointer<Float>?,
    activation: (function: ck_function, alpha: Float, beta: Float),
    into destination: UnsafeMutablePointer<Float>
  ) {
    withMatrix {
      ck_stored_matmul(
        $0, source, Int64(rows), bias, activation.function, activation.alpha, activation.beta,
        destination)
    }
  }

  /// The same for at least ``leastPanelRows`` rows, with a residual before the activation, and with results of each step
  /// rounded to float16 if `rounds`.
  func multiplyPanels(
    _ source: UnsafePointer<Float>, rows: Int, bias: UnsafePointer<Float>?,
    residual: UnsafePointer<Float>?, activation: (function: ck_function, alpha: Float, beta: Float),
    rounds: Bool, into destination: UnsafeMutablePointer<Float>
  ) {
    withMatrix {
      ck_stored_panels(
        $0, source, Int64(rows), bias, residual, activation.function, activation.alpha,
        activation.beta, rounds ? 1 : 0, destination)
    }
  }

  /// Decodes one row of the matrix, `inner` numbers.
  func decode(row: Int, into destination: UnsafeMutablePointer<Float>) {
    withMatrix { ck_stored_rows($0, Int64(row), 1, destination) }
  }
}

extension StoredValues {
  /// The element type of plain numbers that are stored from the lowest bit up. Nil for all other stored forms.
  var plainElement: ElementType? {
    guard case .plain(_, let element, let order) = meaning else { return nil }
    return element.isPacked && order != .lowestFirst ? nil : element
  }
}

extension ElementType {
  /// Whether this is an unsigned type of at most 8 bits, for indices into a lookup table.
  fileprivate var isUnsigned: Bool {
    [.uint1, .uint2, .uint3, .uint4, .uint6, .uint8].contains(self)
  }
}

/// The constants that are added to scaled values. `weight` is nil if the stored form has no zero points.
private struct ZeroPointShift {
  let weight: PackedWeight?
}

extension StoredValues.ScaledIntegers {
  /// Returns the constants `−zero · scale` that are added after scaling. The result has no weight if there are no zero
  /// points. Nil if such constants cannot replace the zero points. This is so if the blocks of the zero points differ
  /// from those of the scales. It is also so if a zero point has a fraction and the model rounds the differences to
  /// float16 before scaling.
  fileprivate func shift(in packed: PackedWeights) -> ZeroPointShift? {
    guard let zero else { return ZeroPointShift(weight: nil) }
    guard zero.shape == scale.shape else { return nil }
    if difference == .float16 {
      guard let zeros = try? zero.floats(), zeros.allSatisfy({ $0 == $0.rounded() }) else {
        return nil
      }
    }
    let (zeros, scales) = (zero, scale)
    let weight = packed.weight(
      "zero-point shifts", of: [zeros, scales], byteCount: scales.count * 4
    ) { memory in
      // Safe: the memory holds as many floats as there are scales.
      let target = memory.assumingMemoryBound(to: Float.self)
      for (index, (zero, scale)) in zip(try zeros.floats(), try scales.floats()).enumerated() {
        target[index] = -zero * scale
      }
    }
    return ZeroPointShift(weight: weight)
  }
}
