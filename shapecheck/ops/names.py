"""Which module of this package holds the rule of a name, so that a run imports only the rules it needs.

Written by ``python -m tests.ops.write_names``; a test compares it with what the modules register.
"""

from __future__ import annotations

NAMES: dict[str, dict[str, str]] = {
    "activations": {
        "torch.Tensor": "hardshrink prelu",
        "torch": (
            "alpha_dropout celu dropout feature_alpha_dropout feature_dropout hardshrink prelu rrelu selu "
            "threshold"
        ),
        "torch.nn.functional": (
            "alpha_dropout celu dropout dropout1d dropout2d dropout3d elu feature_alpha_dropout gelu glu "
            "hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish prelu rrelu selu silu softplus "
            "softshrink threshold"
        ),
    },
    "attributes": {
        "torch.Tensor": (
            "__len__ backward bfloat16 bool byte cdouble cfloat chalf char clone contiguous cpu cuda data_ptr "
            "detach dim double element_size float get_device half int is_complex is_contiguous is_floating_point "
            "is_nonzero is_pinned is_shared is_signed item long ndimension nelement numel numpy pin_memory "
            "requires_grad_ resize_ resize_as_ resolve_conj resolve_neg retain_grad share_memory_ short size "
            "storage_offset stride to to_dense to_sparse to_sparse_coo tolist type type_as xpu"
        ),
        "torch": (
            "clone detach imag is_complex is_floating_point is_nonzero is_signed is_tensor numel real "
            "resolve_conj resolve_neg"
        ),
    },
    "creation": {
        "torch": (
            "BoolTensor FloatTensor IntTensor LongTensor Tensor alias_copy arange as_tensor asarray "
            "bartlett_window bernoulli binomial blackman_window empty empty_like empty_permuted empty_strided eye "
            "fill from_numpy full full_like hamming_window hann_window kaiser_window linspace logspace "
            "multinomial normal ones ones_like poisson rand rand_like randint randint_like randn randn_like "
            "randperm scalar_tensor tensor tril_indices triu_indices vander zeros zeros_like"
        ),
        "torch.Tensor": (
            "bernoulli bernoulli_ cauchy_ exponential_ fill_ fill_diagonal_ geometric_ log_normal_ multinomial "
            "new_empty new_empty_strided new_full new_ones new_tensor new_zeros normal_ random_ uniform_ zero_"
        ),
        "torch.linalg": "vander",
        "torch.nn.init": (
            "constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ "
            "trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_"
        ),
    },
    "cutting": {
        "torch.Tensor": (
            "chunk dsplit hsplit split split_with_sizes tensor_split unbind unsafe_chunk unsafe_split "
            "unsafe_split_with_sizes vsplit"
        ),
        "torch": (
            "chunk dsplit hsplit split split_copy split_with_sizes split_with_sizes_copy tensor_split unbind "
            "unbind_copy unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
        ),
        "torch.functional": "split",
    },
    "derivatives": {
        "torch.autograd": "grad",
    },
    "distributions": {
        "torch.distributions": (
            "Bernoulli Beta Categorical Cauchy Dirichlet Exponential Gamma Geometric Gumbel HalfCauchy HalfNormal "
            "Independent Laplace LogNormal MultivariateNormal Normal OneHotCategorical "
            "OneHotCategoricalStraightThrough Poisson Uniform VonMises kl_divergence"
        ),
        "torch.distributions.bernoulli": "Bernoulli",
        "torch.distributions.beta": "Beta",
        "torch.distributions.categorical": "Categorical",
        "torch.distributions.cauchy": "Cauchy",
        "torch.distributions.dirichlet": "Dirichlet",
        "torch.distributions.exponential": "Exponential",
        "torch.distributions.gamma": "Gamma",
        "torch.distributions.geometric": "Geometric",
        "torch.distributions.gumbel": "Gumbel",
        "torch.distributions.half_cauchy": "HalfCauchy",
        "torch.distributions.half_normal": "HalfNormal",
        "torch.distributions.independent": "Independent",
        "torch.distributions.kl": "kl_divergence",
        "torch.distributions.laplace": "Laplace",
        "torch.distributions.log_normal": "LogNormal",
        "torch.distributions.multivariate_normal": "MultivariateNormal",
        "torch.distributions.normal": "Normal",
        "torch.distributions.one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
        "torch.distributions.poisson": "Poisson",
        "torch.distributions.uniform": "Uniform",
        "torch.distributions.von_mises": "VonMises",
    },
    "einops_layers": {
        "einops.layers.torch": "EinMix Rearrange Reduce",
    },
    "einops_packs": {
        "einops": "pack parse_shape unpack",
    },
    "einops_rules": {
        "einops": "einsum rearrange reduce repeat",
    },
    "einsum": {
        "torch": "einsum",
        "torch.functional": "einsum",
    },
    "einx_rules": {
        "einx": (
            "add add_at all any count_nonzero divide dot equal floor_divide get_at greater greater_equal less "
            "less_equal logical_and logical_or logsumexp max maximum mean min minimum multiply not_equal prod "
            "rearrange set_at std subtract subtract_at sum true_divide var where"
        ),
    },
    "elementwise": {
        "torch.nn": (
            "AlphaDropout CELU Dropout Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout Flatten GELU GLU "
            "Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU LogSigmoid LogSoftmax Mish PReLU RReLU "
            "ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink "
            "Threshold Unflatten"
        ),
    },
    "environment": {
        "torch": (
            "Generator device finfo get_default_dtype iinfo is_autocast_enabled is_grad_enabled "
            "is_inference_mode_enabled manual_seed"
        ),
        "torch.backends.mps": "is_available",
        "torch.compiler": "is_compiling",
        "torch.cuda": "is_available is_bf16_supported",
        "torch.distributed": "is_available is_initialized",
        "torch.jit": "is_scripting is_tracing",
        "torch.nn.utils": "clip_grad_norm_",
        "torch.onnx": "is_in_onnx_export",
        "torch.testing": "assert_close",
    },
    "fancy_einsum": {
        "fancy_einsum": "einsum",
    },
    "gathering": {
        "torch.Tensor": (
            "as_strided_scatter diagonal_scatter gather index_add index_copy index_fill index_put index_reduce "
            "index_select masked_scatter put scatter scatter_add scatter_reduce select_scatter slice_scatter take "
            "take_along_dim"
        ),
        "torch": (
            "as_strided_scatter diagonal_scatter gather index_add index_copy index_fill index_put index_reduce "
            "index_select masked_scatter put scatter scatter_add scatter_reduce select_scatter slice_scatter take "
            "take_along_dim"
        ),
    },
    "indexing": {
        "operator": "getitem",
        "torch.Tensor": "__getitem__",
    },
    "inplace": {
        "operator": "iadd iand ifloordiv ilshift imod imul ior ipow irshift isub itruediv ixor",
        "torch.Tensor": (
            "add_ addcdiv_ addcmul_ arctan2_ atan2_ bitwise_and_ bitwise_left_shift_ bitwise_or_ "
            "bitwise_right_shift_ bitwise_xor_ clamp_ clamp_max_ clamp_min_ clip_ copy_ copysign_ div_ divide_ "
            "eq_ float_power_ floor_divide_ fmod_ gcd_ ge_ greater_ greater_equal_ gt_ heaviside_ hypot_ lcm_ "
            "ldexp_ le_ lerp_ less_ less_equal_ logical_and_ logical_or_ logical_xor_ lt_ mul_ multiply_ ne_ "
            "nextafter_ not_equal_ pow_ remainder_ sub_ subtract_ true_divide_ xlogy_"
        ),
    },
    "joining": {
        "torch": "cat column_stack concat concatenate dstack hstack row_stack stack vstack",
    },
    "layers": {
        "torch": "bilinear",
        "torch.nn": "Bilinear Embedding EmbeddingBag LazyLinear Linear",
        "torch.nn.functional": "bilinear linear",
        "torch.nn.modules.linear": "NonDynamicallyQuantizableLinear",
    },
    "linear_algebra": {
        "torch.Tensor": (
            "cholesky cholesky_inverse cross det geqrf inverse logdet lu matrix_exp matrix_power orgqr pinverse "
            "qr slogdet svd trace"
        ),
        "torch": (
            "cholesky cholesky_inverse cross det geqrf inverse logdet lu lu_unpack matrix_exp matrix_power orgqr "
            "pca_lowrank pinverse qr slogdet svd svd_lowrank trace"
        ),
        "torch.functional": "lu",
        "torch.linalg": (
            "cholesky cholesky_ex cond cross det eig eigh eigvals eigvalsh householder_product inv inv_ex "
            "ldl_factor ldl_factor_ex lu lu_factor lu_factor_ex matrix_exp matrix_power matrix_rank pinv qr "
            "slogdet svd svdvals vecdot"
        ),
    },
    "lookups": {
        "torch.Tensor": (
            "argwhere bincount masked_fill masked_fill_ masked_select nonzero nonzero_static where"
        ),
        "torch": (
            "argwhere bincount bucketize embedding isin masked_fill masked_select nonzero nonzero_static "
            "searchsorted where"
        ),
        "torch.nn.functional": "embedding embedding_bag one_hot",
    },
    "losses": {
        "torch": "cosine_similarity pairwise_distance",
        "torch.nn": (
            "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss "
            "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss "
            "MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
            "PairwiseDistance PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
            "TripletMarginWithDistanceLoss"
        ),
        "torch.nn.functional": (
            "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cosine_similarity "
            "cross_entropy ctc_loss gaussian_nll_loss hinge_embedding_loss huber_loss kl_div l1_loss "
            "linear_cross_entropy margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss "
            "multilabel_soft_margin_loss nll_loss pairwise_distance poisson_nll_loss smooth_l1_loss "
            "soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss"
        ),
    },
    "masked": {
        "torch.masked": (
            "amax amin argmax argmin cumprod cumsum log_softmax logaddexp logsumexp mean median norm normalize "
            "prod softmax softmin std sum var"
        ),
    },
    "normalisation": {
        "torch": "layer_norm native_layer_norm rms_norm",
        "torch.nn": (
            "BatchNorm1d BatchNorm2d BatchNorm3d CrossMapLRN2d GroupNorm InstanceNorm1d InstanceNorm2d "
            "InstanceNorm3d LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d "
            "LazyInstanceNorm2d LazyInstanceNorm3d LocalResponseNorm RMSNorm SyncBatchNorm"
        ),
        "torch.nn.functional": (
            "batch_norm group_norm instance_norm layer_norm local_response_norm normalize rms_norm"
        ),
    },
    "orders": {
        "torch.Tensor": (
            "adjoint flip fliplr flipud moveaxis movedim permute roll rot90 swapaxes swapdims t transpose tril "
            "triu"
        ),
        "torch": (
            "adjoint flip fliplr flipud moveaxis movedim permute permute_copy roll rot90 swapaxes swapdims t "
            "t_copy transpose transpose_copy tril triu"
        ),
    },
    "packing": {
        "torch.nn.utils.rnn": "pack_padded_sequence pad_packed_sequence",
    },
    "padding": {
        "torch": "constant_pad_nd",
        "torch.nn": (
            "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
            "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d "
            "ZeroPad2d ZeroPad3d"
        ),
        "torch.nn.functional": "pad",
    },
    "parts": {
        "torch.Tensor": "as_strided diag diag_embed diagflat diagonal narrow narrow_copy select unfold",
        "torch": (
            "as_strided as_strided_copy diag diag_embed diagflat diagonal diagonal_copy narrow narrow_copy select "
            "select_copy unfold_copy view_as_complex view_as_complex_copy view_as_real view_as_real_copy"
        ),
        "torch.linalg": "diagonal",
    },
    "pointwise": {
        "operator": (
            "abs add and_ eq floordiv ge gt invert le lshift lt mod mul ne neg or_ pos pow rshift sub truediv xor"
        ),
        "torch.Tensor": (
            "abs absolute acos acosh add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2 "
            "arctanh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or "
            "bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip conj conj_physical copysign cos "
            "cosh deg2rad digamma div divide eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide "
            "fmax fmin fmod frac frexp gcd ge greater greater_equal gt heaviside hypot i0 igamma igammac isclose "
            "isfinite isinf isnan isneginf isposinf isreal lcm ldexp le lerp less less_equal lgamma log log10 "
            "log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit lt maximum "
            "minimum mul multiply mvlgamma nan_to_num ne neg negative nextafter not_equal polygamma positive pow "
            "rad2deg reciprocal relu remainder round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square sub "
            "subtract tan tanh true_divide trunc xlogy"
        ),
        "torch": (
            "abs absolute acos acosh add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2 "
            "arctanh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or "
            "bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip complex conj conj_physical "
            "copysign cos cosh deg2rad digamma div divide eq erf erfc erfinv exp exp2 expm1 fix float_power floor "
            "floor_divide fmax fmin fmod frac frexp gcd ge greater greater_equal gt heaviside hypot i0 igamma "
            "igammac isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp le lerp less less_equal "
            "lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
            "logit lt maximum minimum mul multiply mvlgamma nan_to_num ne neg negative nextafter not_equal polar "
            "polygamma positive pow rad2deg reciprocal relu remainder round rsqrt rsub sgn sigmoid sign signbit "
            "sin sinc sinh sqrt square sub subtract tan tanh true_divide trunc xlogy"
        ),
        "torch.nn.functional": "relu relu6 sigmoid softsign tanh tanhshrink",
        "torch.special": (
            "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u "
            "chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit expm1 "
            "gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e "
            "laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr logit modified_bessel_i0 "
            "modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri polygamma psi round "
            "scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t "
            "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc "
            "spherical_bessel_j0 xlog1py xlogy zeta"
        ),
    },
    "pooling": {
        "torch": "adaptive_avg_pool1d avg_pool1d max_pool1d max_pool2d max_pool3d",
        "torch.nn": (
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
            "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d "
            "LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
        ),
        "torch.nn.functional": (
            "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
            "adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d fractional_max_pool2d fractional_max_pool3d "
            "lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices "
            "max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d"
        ),
    },
    "products": {
        "operator": "imatmul matmul",
        "torch.Tensor": "addbmm addmm addmv addr baddbmm bmm dot ger inner kron matmul mm mv outer vdot",
        "torch": (
            "addbmm addmm addmv addr baddbmm bmm cdist chain_matmul dot ger inner kron matmul mm mv outer "
            "tensordot vdot"
        ),
        "torch.functional": "cdist tensordot",
        "torch.linalg": "matmul multi_dot",
        "torch.sparse": "mm",
    },
    "recurrent": {
        "torch.nn": "GRU GRUCell LSTM LSTMCell RNN RNNCell",
    },
    "reductions": {
        "torch.Tensor": (
            "all allclose amax amin aminmax any argmax argmin corrcoef count_nonzero cov dist equal kthvalue "
            "logsumexp max mean median min mode nanmean nanmedian nanquantile nansum norm prod quantile std sum "
            "sum_to_size var"
        ),
        "torch": (
            "all allclose amax amin aminmax any argmax argmin corrcoef count_nonzero cov dist equal kthvalue "
            "logsumexp max mean median min mode nanmean nanmedian nanquantile nansum norm prod quantile std "
            "std_mean sum trapezoid trapz var var_mean"
        ),
        "torch.linalg": "matrix_norm norm vector_norm",
        "torch.special": "logsumexp",
    },
    "repeating": {
        "torch.Tensor": "repeat repeat_interleave tile",
        "torch": "block_diag cartesian_prod combinations meshgrid repeat_interleave tile",
        "torch.functional": "meshgrid",
        "torch.nn.utils.rnn": "pad_sequence",
    },
    "resampling": {
        "torch": "grid_sampler",
        "torch.nn": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
        "torch.nn.functional": (
            "affine_grid grid_sample interpolate upsample upsample_bilinear upsample_nearest"
        ),
    },
    "scans": {
        "torch.Tensor": (
            "argsort cummax cummin cumprod cumsum diff histc histogram log_softmax logcumsumexp msort renorm "
            "softmax sort topk unique unique_consecutive"
        ),
        "torch": (
            "argsort cummax cummin cumprod cumsum cumulative_trapezoid diff gradient histc histogram log_softmax "
            "logcumsumexp msort renorm softmax sort topk unique unique_consecutive unravel_index"
        ),
        "torch.nn.functional": "gumbel_softmax log_softmax pdist softmax softmin",
        "torch.special": "log_softmax softmax",
    },
    "solvers": {
        "torch.Tensor": "cholesky_solve lu_solve ormqr triangular_solve",
        "torch": "cholesky_solve lu_solve ormqr triangular_solve",
        "torch.linalg": "ldl_solve lstsq lu_solve solve solve_ex solve_triangular tensorinv tensorsolve",
    },
    "spatial": {
        "torch": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d",
        "torch.nn": (
            "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d "
            "LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
        ),
        "torch.nn.functional": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d",
    },
    "spectral": {
        "torch.Tensor": "istft stft",
        "torch.fft": (
            "fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft "
            "irfft2 irfftn rfft rfft2 rfftfreq rfftn"
        ),
        "torch.functional": "istft stft",
        "torch": "istft stft",
        "torch.signal.windows": (
            "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser "
            "nuttall"
        ),
    },
    "transformers": {
        "torch.nn": (
            "MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
            "TransformerEncoderLayer"
        ),
        "torch.nn.Transformer": "generate_square_subsequent_mask",
        "torch.nn.functional": "scaled_dot_product_attention",
    },
    "views": {
        "torch.Tensor": (
            "broadcast_to expand expand_as flatten ravel reshape reshape_as squeeze unflatten unsqueeze view "
            "view_as"
        ),
        "torch": (
            "atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to expand_copy flatten "
            "ravel reshape squeeze squeeze_copy unflatten unsqueeze unsqueeze_copy view_copy"
        ),
    },
    "windows": {
        "torch": "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle",
        "torch.nn": "ChannelShuffle Fold PixelShuffle PixelUnshuffle Unfold",
        "torch.nn.functional": "channel_shuffle fold pixel_shuffle pixel_unshuffle unfold",
    },
}
