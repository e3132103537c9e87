/// Constants that stay as a file keeps them. Each function checks shapes; what only the values tell is checked
/// when they are decoded.
extension Constant {
  /// Values that codes name in tables.
  ///
  /// - Parameters:
  ///   - codes: whole numbers that name entries.
  ///   - tables: `[groups…, entries, vector]`, one extent for groups an axis of the codes, which it divides: the
  ///     codes of each block have a table of their own.
  ///   - axis: the axis along which an entry's values stand one after the other; needed where an entry has
  ///     several.
  public static func lookedUp(_ codes: Constant, in tables: Constant, along axis: Int? = nil) throws
    -> Constant
  {
    let (shape, rank) = (codes.shape, codes.shape.rank)
    guard rank > 0, tables.shape.rank == rank + 2 else {
      throw StoredValues.bad(
        "the tables are \(tables.shape) for codes of \(shape), expected two axes more than the codes have."
      )
    }
    let groups = Shape(Array(tables.shape.dimensions.prefix(rank)))
    guard groups.divides(shape) else {
      throw StoredValues.bad("tables for blocks of \(groups) do not divide codes of \(shape).")
    }
    let (entries, size) = (tables.shape[rank], tables.shape[rank + 1])
    guard entries > 0, size > 0, axis != nil || size == 1 else {
      throw StoredValues.bad(
        "tables of \(entries) entries of \(size) values need an axis along which the values stand.")
    }
    let place: Int = axis.map { $0 < 0 ? $0 + rank : $0 } ?? rank - 1
    guard shape.dimensions.indices.contains(place) else {
      throw StoredValues.bad("the axis \(place) does not exist among codes of \(shape).")
    }
    var made: Shape = shape
    let (extent, overflow) = made[place].multipliedReportingOverflow(by: size)
    made[place] = extent
    guard !overflow, made.isMeasurable else {
      throw StoredValues.bad("codes of \(shape) with \(size) values each are too many.")
    }
    return Constant(
      TensorType(made),
      StoredValues(.palette(codes: codes, table: tables, vectorAxis: place)))
  }

  /// `scale · (code − zero)`, where each scale and each zero holds for a block of the codes.
  ///
  /// - Parameters:
  ///   - scale: of the codes' rank, its extents divide theirs.
  ///   - zero: of the scale's shape; nil is 0.
  ///   - difference: the type to which the difference is rounded.
  ///   - product: the type to which the result is rounded.
  public static func scaled(
    _ codes: Constant, by scale: Constant, from zero: Constant? = nil,
    difference: ElementType = .float32, product: ElementType = .float32
  ) throws -> Constant {
    for blocks in [scale.shape, zero?.shape ?? scale.shape] {
      guard blocks.rank == codes.shape.rank, blocks.divides(codes.shape) else {
        throw StoredValues.bad(
          "scales or zeros for blocks of \(blocks) do not divide codes of \(codes.shape).")
      }
    }
    return Constant(
      TensorType(codes.shape),
      StoredValues(
        .affine(
          codes: codes,
          StoredValues.ScaledCodes(
            scale: scale, zero: zero, difference: difference, product: product))))
  }

  /// Values one after the other where a mask is 1; 0 elsewhere.
  public static func sparse(_ kept: Constant, mask: Constant) -> Constant {
    Constant(TensorType(mask.shape), StoredValues(.spread(kept, mask: mask)))
  }

  /// What a tensor holds where a mask of its shape is 1, `count` values one after the other.
  public static func picked(_ dense: Constant, mask: Constant, count: Int) throws -> Constant {
    guard dense.shape == mask.shape else {
      throw StoredValues.bad("a mask of \(mask.shape) does not fit values of \(dense.shape).")
    }
    return Constant(TensorType([count]), StoredValues(.picked(dense, mask: mask)))
  }

  /// Each element so many times along an axis, one after the other.
  public func repeated(_ times: Int, along axis: Int) -> Constant {
    var made: Shape = shape
    made[axis] *= times
    return Constant(
      TensorType(made), StoredValues(.repeated(self, times: times, axis: axis)))
  }
}

extension Shape {
  /// Whether every extent is 1 or more and divides that of another shape of the same rank.
  fileprivate func divides(_ other: Shape) -> Bool {
    rank == other.rank
      && zip(dimensions, other.dimensions).allSatisfy { $0 > 0 && $1 % $0 == 0 }
  }
}
