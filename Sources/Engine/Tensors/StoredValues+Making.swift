/// Functions that make constants whose values stay encoded as in the file. Each function checks the shapes. Errors in
/// the values are found when the values are decoded.
extension Constant {
  /// Returns a constant whose values are entries of lookup tables.
  ///
  /// - Parameters:
  ///   - indices: Integers that select entries.
  ///   - tables: The lookup tables, `[groups…, entries, vector]`. `groups…` has one extent per axis of the indices: the
  ///     number of blocks along this axis, which divides the axis's extent. Each block of indices has its own table of
  ///     `entries` entries. Each entry has `vector` values.
  ///   - axis: The axis along which the values of a table entry are placed. Required if a table entry has several
  ///     values.
  public static func lookedUp(_ indices: Constant, in tables: Constant, along axis: Int? = nil)
    throws
    -> Constant
  {
    let (shape, rank) = (indices.shape, indices.shape.rank)
    guard rank > 0, tables.shape.rank == rank + 2 else {
      throw StoredValues.bad(
        "the lookup tables have the shape \(tables.shape) for indices of \(shape), expected two axes more than the indices have."
      )
    }
    let groups = Shape(Array(tables.shape.dimensions.prefix(rank)))
    guard groups.divides(shape) else {
      throw StoredValues.bad(
        "lookup tables for blocks of \(groups) do not divide indices of \(shape).")
    }
    let (entries, size) = (tables.shape[rank], tables.shape[rank + 1])
    guard entries > 0, size > 0, axis != nil || size == 1 else {
      throw StoredValues.bad(
        "lookup tables of \(entries) entries of \(size) values need an axis along which the values are placed."
      )
    }
    let vectorAxis: Int = axis.map { $0 < 0 ? $0 + rank : $0 } ?? rank - 1
    guard shape.dimensions.indices.contains(vectorAxis) else {
      throw StoredValues.bad("the axis \(vectorAxis) does not exist for indices of \(shape).")
    }
    var made: Shape = shape
    let (extent, overflow) = made[vectorAxis].multipliedReportingOverflow(by: size)
    made[vectorAxis] = extent
    guard !overflow, made.isMeasurable else {
      throw StoredValues.bad("indices of \(shape) with \(size) values each give too many values.")
    }
    return Constant(
      TensorType(made),
      StoredValues(.palette(indices: indices, table: tables, vectorAxis: vectorAxis)))
  }

  /// Returns dequantised values, `scale · (value − zero)`. Each scale and each zero point applies to one block of the
  /// values.
  ///
  /// - Parameters:
  ///   - scale: The scales. Their rank is that of the values, and each extent divides the values' extent on the same
  ///     axis.
  ///   - zero: The zero points, under the same conditions as the scales; nil means 0.
  ///   - difference: The type to which `value − zero` is rounded.
  ///   - product: The type to which the result is rounded.
  public static func scaled(
    _ values: Constant, by scale: Constant, from zero: Constant? = nil,
    difference: ElementType = .float32, product: ElementType = .float32
  ) throws -> Constant {
    for blocks in [scale.shape, zero?.shape ?? scale.shape] {
      guard blocks.rank == values.shape.rank, blocks.divides(values.shape) else {
        throw StoredValues.bad(
          "scales or zero points for blocks of \(blocks) do not divide values of \(values.shape).")
      }
    }
    return Constant(
      TensorType(values.shape),
      StoredValues(
        .affine(
          values: values,
          StoredValues.ScaledIntegers(
            scale: scale, zero: zero, difference: difference, product: product))))
  }

  /// Returns a constant of the mask's shape that holds the stored values, in order, where the mask is 1, and 0
  /// elsewhere.
  public static func sparse(_ stored: Constant, mask: Constant) -> Constant {
    Constant(TensorType(mask.shape), StoredValues(.spread(stored, mask: mask)))
  }

  /// Returns a constant that holds, in order, the values of `dense` where the mask is 1. The mask has the shape of
  /// `dense` and `count` set bits.
  public static func picked(_ dense: Constant, mask: Constant, count: Int) throws -> Constant {
    guard dense.shape == mask.shape else {
      throw StoredValues.bad("a mask of \(mask.shape) does not fit values of \(dense.shape).")
    }
    return Constant(TensorType([count]), StoredValues(.picked(dense, mask: mask)))
  }

  /// Returns a constant in which each element of this constant is repeated `times` times along an axis.
  public func repeated(_ times: Int, along axis: Int) -> Constant {
    var made: Shape = shape
    made[axis] *= times
    return Constant(
      TensorType(made), StoredValues(.repeated(self, times: times, axis: axis)))
  }
}

extension Shape {
  /// Returns whether both shapes have the same rank, and each extent of this shape is at least 1 and divides the extent
  /// of `other` on the same axis.
  fileprivate func divides(_ other: Shape) -> Bool {
    rank == other.rank
      && zip(dimensions, other.dimensions).allSatisfy { $0 > 0 && $1 % $0 == 0 }
  }
}
