import Graph
import Operators

extension KerasLayerReader {
  /// Layers that resize images and sequences.
  static let resizing: [KerasLayerReader] = [
    KerasLayerReader(
      "UpSampling1D", fields: KnownFields(["size", "length", "data_format"])
    ) { context in
      let spatial = try KerasSpatial(context, axes: 1)
      let factor: Int = try spatial.sizes(context.settings.ints("size", "length"), or: 2, "size")[0]
      return try spatial.made(
        try context.add(
          UpsampleOperator(heightFactor: 1, widthFactor: Float(max(1, factor))), spatial.value))
    },
    KerasLayerReader(
      "UpSampling2D",
      fields: KnownFields(["size", "interpolation", "data_format", "dim_ordering"])
    ) { context in
      let spatial = try KerasSpatial(context, axes: 2)
      let factors: [Int] = try spatial.sizes(context.settings.ints("size"), or: 2, "size")
      let kind: String = try context.settings.text("interpolation") ?? "nearest"
      guard factors.allSatisfy({ $0 > 0 }) else {
        throw context.invalid("'size' is \(factors), expected 1 or more.")
      }
      if kind == "nearest" || kind == "bilinear" {
        return try spatial.made(
          try context.add(
            UpsampleOperator(
              heightFactor: Float(factors[0]), widthFactor: Float(factors[1]),
              mode: kind == "nearest" ? .nearest : .bilinear(.pixelCentres)),
            spatial.value))
      }
      let known: [Int] = context.extents(spatial.value, rank: 4).suffix(2).compactMap { $0 }
      guard known.count == 2 else {
        throw context.unsupported(
          "'interpolation' is '\(kind)', which needs a picture of known size. State its extents.")
      }
      let resizing = KerasResizing(
        height: known[0] * factors[0], width: known[1] * factors[1], interpolation: kind)
      return try spatial.made(try resizing.made(of: spatial.value, context))
    },
    KerasLayerReader(
      "UpSampling3D", fields: KnownFields(["size", "data_format", "dim_ordering"])
    ) { try $0.largerVolume() },
    KerasLayerReader(
      "Resizing",
      fields: KnownFields(
        [
          "height", "width", "interpolation", "crop_to_aspect_ratio", "pad_to_aspect_ratio",
          "fill_value", "antialias", "data_format",
        ],
        only: ["fill_mode": ["constant"]])
    ) { context in
      let spatial = try KerasSpatial(context, axes: 2)
      let settings: KerasSettings = context.settings
      var resizing = KerasResizing(
        height: try settings.int("height") ?? 0, width: try settings.int("width") ?? 0,
        interpolation: try settings.text("interpolation") ?? "bilinear")
      resizing.isAntialiased = try settings.bool("antialias", or: false)
      resizing.crops = try settings.bool("crop_to_aspect_ratio", or: false)
      resizing.pads = try settings.bool("pad_to_aspect_ratio", or: false)
      resizing.fill = Float(try settings.number("fill_value", or: 0))
      return try spatial.made(try resizing.made(of: spatial.value, context))
    },
    KerasLayerReader(
      "CenterCrop", fields: KnownFields(["height", "width", "data_format"])
    ) { context in
      let spatial = try KerasSpatial(context, axes: 2)
      let known: [Int?] = context.extents(spatial.value, rank: 4)
      guard let height = try context.settings.int("height"),
        let width = try context.settings.int("width"), let rows = known[2],
        let columns = known[3], height > 0, width > 0
      else {
        throw context.unsupported("the size of its input is not known. State its extents.")
      }
      guard rows >= height, columns >= width else {
        // Keras enlarges an image that is smaller than the crop.
        var resizing = KerasResizing(height: height, width: width, interpolation: "bilinear")
        resizing.crops = true
        return try spatial.made(try resizing.made(of: spatial.value, context))
      }
      let (top, left) = ((rows - height) / 2, (columns - width) / 2)
      let edges = EdgeAmounts(
        top: top, bottom: rows - height - top, left: left, right: columns - width - left)
      return try spatial.made(try context.add(CropOperator(amounts: edges), spatial.value))
    },
  ]
}

extension KerasContext {
  /// Repeats each element along each spatial axis.
  fileprivate func largerVolume() throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: 3)
    let factors: [Int] = try spatial.sizes(settings.ints("size"), or: 2, "size")
    var value = spatial.value
    for (axis, factor) in factors.enumerated() where factor > 1 {
      var shape: [Int?] = extents(value, rank: 5)
      guard let extent = shape[axis + 2], shape.filter({ $0 == nil }).count <= 1 else {
        throw unsupported("the size of its input is not known.")
      }
      let apart = try add(ExpandDimsOperator(axes: [axis + 3]), value)
      var times = [Int](repeating: 1, count: 6)
      times[axis + 3] = factor
      let many = try add(TileOperator(repetitions: times), apart)
      shape[axis + 2] = extent * factor
      value = try add(ReshapeStaticOperator(targetShape: shape.map { $0 ?? -1 }), many)
    }
    return try spatial.made(value)
  }
}
