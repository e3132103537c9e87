import Graph
import Operators

extension [LayerReader] {
  /// Layers that transpose, reshape, repeat, concatenate, split, crop, resize or generate values.
  package static let shaping: [LayerReader] = [
    LayerReader("permute", PermuteOperator.init(decoding:)),
    LayerReader("transpose", TransposeOperator.init(decoding:)),
    LayerReader("reorganizeData", ReorganizeDataOperator.init(decoding:)),
    LayerReader("reshape", ReshapeOperator.init(decoding:)),
    LayerReader("flatten", FlattenOperator.init(decoding:)),
    LayerReader("reshapeStatic", ReshapeStaticOperator.init(decoding:)),
    LayerReader("reshapeLike", ReshapeLikeOperator.init(decoding:)),
    LayerReader("reshapeDynamic", ReshapeDynamicOperator.init(decoding:)),
    LayerReader("rankPreservingReshape", RankPreservingReshapeOperator.init(decoding:)),
    LayerReader("expandDims", ExpandDimsOperator.init(decoding:)),
    LayerReader("squeeze", SqueezeOperator.init(decoding:)),
    LayerReader("flattenTo2D", FlattenTo2DOperator.init(decoding:)),
    LayerReader("concat", ConcatOperator.init(decoding:)),
    LayerReader("concatND", ConcatNDOperator.init(decoding:)),
    LayerReader("stack", StackOperator.init(decoding:)),
    LayerReader("split", SplitOperator.init(decoding:)),
    LayerReader("splitND", SplitNDOperator.init(decoding:)),
    LayerReader("slice", SliceOperator.init(decoding:)),
    LayerReader("crop", CropOperator.init(decoding:)),
    LayerReader("padding", PaddingOperator.init(decoding:)),
    LayerReader("upsample", UpsampleOperator.init(decoding:)),
    LayerReader("resizeBilinear", ResizeBilinearOperator.init(decoding:)),
    LayerReader("cropResize", CropResizeOperator.init(decoding:)),
    LayerReader("sequenceRepeat", SequenceRepeatOperator.init(decoding:)),
    LayerReader("tile", TileOperator.init(decoding:)),
    LayerReader("broadcastToStatic", BroadcastToStaticOperator.init(decoding:)),
    LayerReader("broadcastToLike", BroadcastToLikeOperator.init(decoding:)),
    LayerReader("broadcastToDynamic", BroadcastToDynamicOperator.init(decoding:)),
    LayerReader("fillStatic", FillStaticOperator.init(decoding:)),
    LayerReader("fillLike", FillLikeOperator.init(decoding:)),
    LayerReader("fillDynamic", FillDynamicOperator.init(decoding:)),
    LayerReader("rangeStatic", RangeStaticOperator.init(decoding:)),
    LayerReader("rangeDynamic", RangeDynamicOperator.init(decoding:)),
    LayerReader("getShape", GetShapeOperator.init(decoding:)),
    .loadConstant, .loadConstantND,
  ]
}
