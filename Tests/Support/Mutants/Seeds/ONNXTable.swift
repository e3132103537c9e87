/// Small ONNX models with one node each. Each line is a model.
///
/// A line is the operator's name, with `@N` for an opset other than 18, and the operator's inputs in parentheses. The
/// attributes follow. `-> N` at the end is the number of outputs. An input is `f[1,3]` (computed at run time),
/// `=f[1,3]` (a constant of that shape), `=i{1,2}` (a constant vector with these numbers), `=i(3)` (a constant scalar),
/// or `_` (absent). The letters f, h, d, i, i32, u8, i8 and b denote float, half, double, int64, int32, uint8, int8 and
/// bool. `?` in a shape is a free extent.
enum ONNXTable {
  static let text = """
    Abs(f[2,3])
    Acosh(f[2,3])
    Erf(f[2,3])
    Reciprocal(f[2,3])
    Round(f[2,3])
    Neg(i[3])
    Sqrt(h[2,3])
    IsInf(f[2,3]) detect_negative=0
    IsNaN(f[2,3])
    Not(b[3])
    BitShift(u8[4],=u8{1,2,3,4}) direction="LEFT"
    BitwiseAnd(i[4],=i{1,2,3,4})
    BitwiseNot(i32[4])
    Add(f[1,3,4,4],=f[3,1,1])
    Sub(i[4],=i{1,2,3,4})
    Mul(f[?,3],f[?,3])
    Div(i[4],=i{1,2,3,4})
    Pow(i[4],=i{1,2,3,4})
    Pow(f[4],=f{1,2,3,4})
    Mod(i[4],=i{1,2,3,4}) fmod=0
    Max(f[2,3],f[3],=f{1,2,3})
    Min(i[3],=i{4,5,6})
    Mean(f[2,3],f[2,3])
    Sum(f[2,3],f[3])
    And(b[3],b[3])
    Xor(b[3],b[3])
    Equal(i[3],=i{1,2,3})
    GreaterOrEqual(f[2,3],=f{1,2,3})
    Less(f[?,3],f[3])
    Where(b[2,3],f[2,3],=f[3])
    Clip(f[2,3],=f(0),=f(6))
    Clip(i[3],=i(0),=i(6))
    Cast(f[2,3]) to=7
    Cast(i[3]) to=1
    Cast(f[3]) to=9
    Cast(i[3]) to=3
    CastLike(f[3],=i{1,2})
    Dropout(f[2,3]) -> 2
    Identity(f[2,3])
    Relu(f[1,3,4,4])
    LeakyRelu(f[2,3]) alpha=0.1
    Elu(f[2,3]) alpha=0.5
    Celu(f[2,3]) alpha=0.5
    Selu(f[2,3])
    Gelu@20(f[2,3]) approximate="tanh"
    HardSigmoid(f[2,3]) alpha=0.2 beta=0.5
    HardSwish(f[2,3])
    Hardmax(f[2,3]) axis=1
    LogSoftmax(f[2,3,4]) axis=1
    Softmax(f[2,3,4]) axis=-1
    Softmax@11(f[2,3,4]) axis=1
    Mish(f[2,3])
    PRelu(f[1,3,4,4],=f[3,1,1])
    Shrink(f[2,3]) bias=0.1 lambd=0.3
    Sigmoid(f[2,3])
    Softplus(f[2,3])
    Swish@24(f[2,3]) alpha=0.5
    ThresholdedRelu(f[2,3]) alpha=0.5
    Constant() value_ints=[2,3]
    ConstantOfShape(=i{2,3})
    EyeLike(f[3,4]) k=1
    Range(=i(0),=i(6),=i(2))
    Range(=f(0),=f(2.5),=f(0.5))
    Shape(f[2,3,4]) start=1 end=-1
    Size(f[2,3])
    Det(f[2,3,3])
    Einsum(f[2,3],=f[3,4]) equation="ij,jk->ik"
    Einsum(f[2,3,3]) equation="bii->bi"
    Gemm(f[2,3],=f[3,4],=f[4]) alpha=0.5 beta=2.0
    Gemm(f[3,2],=f[4,3],=f[4]) transA=1 transB=1
    MatMul(f[2,3],=f[3,4])
    MatMul(f[2,1,3,4],f[5,4,2])
    BatchNormalization(f[1,3,4,4],=f[3],=f[3],=f[3],=f[3]) epsilon=0.001
    GroupNormalization@21(f[1,4,3,3],=f[4],=f[4]) num_groups=2
    GroupNormalization(f[1,4,3,3],=f[2],=f[2]) num_groups=2
    InstanceNormalization(f[1,3,4,4],=f[3],=f[3])
    LRN(f[1,5,3,3]) size=3 alpha=0.1 bias=1.0
    LayerNormalization(f[2,3,4],=f[4],=f[4]) axis=-1 -> 3
    LpNormalization(f[2,3]) p=1 axis=1
    MeanVarianceNormalization(f[1,3,4,4]) axes=[0,2,3]
    RMSNormalization@23(f[2,3,4],=f[4]) axis=-1
    ArgMax(f[2,3,4]) axis=1 keepdims=0 select_last_index=1
    ArgMin(f[2,3,4]) axis=-1
    ReduceMean(f[2,3,4],=i{1,2}) keepdims=0
    ReduceSum(f[2,3,4],=i{1}) noop_with_empty_axes=1
    ReduceMax(i[2,3],=i{1})
    ReduceL2@13(f[2,3,4]) axes=[1,2]
    ReduceLogSumExp(f[2,3,4],=i{-1})
    ReduceProd(i[2,3])
    Conv(f[1,3,8,8],=f[4,3,3,3],=f[4]) kernel_shape=[3,3] pads=[1,1,1,1]
    Conv(f[1,4,8,8],=f[4,1,3,3]) group=4 strides=[2,2] dilations=[2,2] pads=[2,2,2,2]
    Conv(f[1,3,9],=f[2,3,3]) auto_pad="SAME_UPPER"
    Conv(f[1,2,4,4,4],=f[3,2,2,2,2])
    Conv(f[1,3,8,8],f[4,3,3,3])
    Conv(f[?,3,?,?],=f[4,3,3,3],=f[4]) strides=[2,2] pads=[1,1,1,1]
    ConvTranspose(f[1,3,4,4],=f[3,2,3,3],=f[2]) strides=[2,2] pads=[1,1,1,1] output_padding=[1,1]
    ConvTranspose(f[1,4,4],=f[4,1,3]) group=4 auto_pad="SAME_LOWER" strides=[2]
    ConvTranspose(f[1,3,4,4],=f[3,2,3,3]) output_shape=[9,9] strides=[2,2]
    AveragePool(f[1,2,8,8]) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] count_include_pad=1 ceil_mode=1
    AveragePool@19(f[1,2,8,8]) kernel_shape=[2,2] dilations=[2,2]
    MaxPool(f[1,2,8,8]) kernel_shape=[3,3] strides=[2,2] pads=[0,0,1,1] ceil_mode=1
    MaxPool(f[1,2,8,8]) kernel_shape=[2,2] strides=[2,2] -> 2
    MaxPool(f[1,2,9]) kernel_shape=[3] dilations=[2] auto_pad="SAME_UPPER"
    LpPool(f[1,2,8,8]) kernel_shape=[3,3] p=3
    GlobalAveragePool(f[1,3,4,4])
    GlobalLpPool(f[1,3,4,4]) p=2
    GlobalMaxPool(f[1,3,4])
    CenterCropPad(f[5,4],=i{3,6}) axes=[0,1]
    Col2Im(f[1,8,9],=i{4,4},=i{2,2}) pads=[0,0,0,0]
    Concat(f[2,3],f[2,4]) axis=1
    DepthToSpace(f[1,8,2,3]) blocksize=2 mode="CRD"
    SpaceToDepth(f[1,2,4,6]) blocksize=2
    Expand(f[3,1],=i{2,3,4})
    Flatten(f[2,3,4]) axis=1
    Pad(f[2,3],=i{0,1,1,2},=f(0.5))
    Pad(f[4,5],=i{1,1,2,0}) mode="reflect"
    Pad(f[4,5],=i{1,1,2,0}) mode="edge"
    Pad@19(f[4,5],=i{1,1,2,0}) mode="wrap"
    Pad(f[4,5],=i{1,2},_,=i{1})
    Pad@2(f[2,3]) pads=[0,1,1,0] value=0.5
    Reshape(f[2,3,4],=i{0,-1})
    Reshape(i[2,3],=i{3,2}) allowzero=1
    Split(f[2,6],=i{2,4}) axis=1 -> 2
    Split(f[2,6]) axis=1 num_outputs=3 -> 3
    Squeeze(f[1,3,1],=i{0,2})
    Tile(f[2,3],=i{2,1})
    Transpose(f[2,3,4]) perm=[2,0,1]
    Unsqueeze(f[2,3],=i{0,3})
    ReverseSequence(f[4,2,3],=i{1,4}) time_axis=0 batch_axis=1
    Slice(f[6,5],=i{1,0},=i{5,4},=i{0,1},=i{2,1})
    Slice(f[6,5],=i{5},=i{-7},=i{0},=i{-1})
    Slice@9(f[6,5]) starts=[1] ends=[4] axes=[0]
    Trilu(f[3,4],=i(1)) upper=0
    Gather(f[4,3],=i{0,2}) axis=0
    Gather(f[4,3],i[2,2]) axis=1
    GatherElements(f[3,3],i[2,3]) axis=0
    GatherND(f[2,3,4],=i{0,1}[1,2]) batch_dims=0
    GatherND(f[2,3,4],i[2,1]) batch_dims=1
    OneHot(i[3],=i(4),=f{0,1}) axis=-1
    ScatterElements(f[3,3],i[2,3],f[2,3]) axis=0 reduction="add"
    ScatterND(f[4,3],=i{1,3}[2,1],f[2,3]) reduction="max"
    Scatter@9(f[3,3],i[2,3],f[2,3]) axis=0
    TensorScatter@24(f[2,4,3],f[2,1,3],=i{1,2}) axis=1
    NonMaxSuppression(f[1,6,4],f[1,2,6],=i(3),=f(0.5),=f(0.1)) center_point_box=1
    Compress(f[3,2],b[3]) axis=0
    CumProd@26(f[3,4],=i(1)) exclusive=1
    CumSum(f[3,4],=i(1)) reverse=1
    NonZero(f[3,4])
    TopK(f[3,6],=i{2}) axis=1 largest=0 -> 2
    AffineGrid@20(f[1,2,3],=i{1,1,4,5}) align_corners=1
    GridSample(f[1,2,4,5],f[1,3,3,2]) mode="bilinear" padding_mode="reflection"
    GridSample@20(f[1,2,4,5],f[1,3,3,2]) mode="cubic" padding_mode="border" align_corners=1
    Resize(f[1,2,4,4],_,=f{1,1,2,2}) mode="linear"
    Resize(f[1,2,4,4],_,_,=i{1,2,7,3}) mode="cubic" coordinate_transformation_mode="align_corners"
    Resize(f[1,2,4,4],_,=f{1,1,0.5,0.6}) mode="nearest" nearest_mode="ceil"
    Resize(f[1,2,8,8],=f{0,0,0.1,0,1,1,0.9,1},_,=i{1,2,4,4}) coordinate_transformation_mode="tf_crop_and_resize"
    Resize(f[1,2,8,8],_,=f{0.5,0.5}) mode="linear" antialias=1 axes=[2,3]
    Resize(f[1,2,8,8],_,_,=i{5,6}) axes=[2,3] keep_aspect_ratio_policy="not_larger"
    Upsample@9(f[1,2,3,3],=f{1,1,2,2}) mode="nearest"
    ConvInteger(u8[1,2,5,5],=u8[3,2,3,3],=u8(5)) pads=[1,1,1,1]
    DequantizeLinear(u8[2,3],=f(0.1),=u8(100))
    DequantizeLinear(=i8[4,3],=f[4],=i8[4]) axis=0
    DequantizeLinear@21(=i8[4,6],=f[4,2],=i8[4,2]) axis=1 block_size=3
    DynamicQuantizeLinear(f[2,3]) -> 3
    MatMulInteger(u8[2,3],=i8[3,4],=u8(5))
    QLinearConv(u8[1,2,5,5],=f(0.1),=u8(3),=i8[3,2,3,3],=f(0.2),=i8(0),=f(0.3),=u8(4))
    QLinearMatMul(u8[2,3],=f(0.1),=u8(3),=u8[3,4],=f(0.2),=u8(9),=f(0.3),=u8(4))
    QuantizeLinear(f[2,3],=f(0.1),=u8(100))
    QuantizeLinear(f[2,3],=f{0.1,0.2,0.3},=i8{1,2,3}) axis=1
    GRU(f[3,1,4],=f[1,6,4],=f[1,6,2],=f[1,12]) hidden_size=2 linear_before_reset=1 -> 2
    LSTM(f[3,1,4],=f[1,8,4],=f[1,8,2],=f[1,16]) hidden_size=2 -> 3
    LSTM(f[3,2,4],=f[2,8,4],=f[2,8,2],_,=i32{3,2},f[2,2,2],f[2,2,2],=f[2,6]) hidden_size=2 direction="bidirectional"
    RNN(f[3,1,4],=f[1,2,4],=f[1,2,2]) hidden_size=2 direction="reverse" -> 2
    Attention@23(f[1,2,3,4],f[1,2,5,4],f[1,2,5,4]) is_causal=1
    Attention@23(f[1,3,8],f[1,5,4],f[1,5,4],f[3,5]) q_num_heads=4 kv_num_heads=2 softcap=2.0
    RotaryEmbedding@23(f[1,2,3,4],=f[3,2],=f[3,2])
    NegativeLogLikelihoodLoss(f[3,4],=i{0,3,2},=f[4]) reduction="mean" ignore_index=1
    SoftmaxCrossEntropyLoss(f[3,4],=i{0,3,2}) reduction="none" -> 2
    BlackmanWindow(=i(6)) periodic=0
    HammingWindow(=i(6))
    HannWindow(=i(6)) output_datatype=1
    DFT@17(f[1,8,1],=i(8)) axis=1 onesided=1
    DFT@20(f[1,8,2],_,=i(1)) inverse=1
    MelWeightMatrix(=i(4),=i(16),=i(8000),=f(100),=f(4000))
    SplitToSequence(f[6,2],=i(2)) axis=0
    """
}
