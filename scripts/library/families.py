"""Families of networks: id, display name and kind."""

_CNN = """
alexnet=AlexNet bat-resnext=BAT-ResNeXt bisenet=BiSeNet bit=BiT blazeface=BlazeFace centernet=CenterNet
convmixer=ConvMixer convnext=ConvNeXt convnextv2=ConvNeXtV2 cpm=CPM csp-darknet=CSPDarkNet
cspresnet=CSPResNet cspresnext=CSPResNeXt dac=DAC darknet=Darknet dbnet=DBNet deeplab=DeepLab densenet=DenseNet
dinov3-convnext=DINOv3-ConvNeXt dla=DLA dpn=DPN eca-resnet=ECA-ResNet eca-resnext=ECA-ResNeXt edsr=EDSR
efficientdet=EfficientDet efficientnet=EfficientNet efficientnet-edgetpu=EfficientNet-EdgeTPU
efficientnet-lite=EfficientNet-Lite efficientnetv2=EfficientNetV2 encodec=EnCodec
espcn=ESPCN esrgan=ESRGAN faster-rcnn=Faster_R-CNN fasternet=FasterNet fbnet=FBNet fbnetv3=FBNetV3 fcn=FCN
fcos=FCOS focalnet=FocalNet gc-resnet=GC-ResNet gc-resnext=GC-ResNeXt gernet=GENet ghostnet=GhostNet
ghostnetv2=GhostNetV2 ghostnetv3=GhostNetV3 hardcorenas=HardCoRe-NAS 
hifi-gan=HiFi-GAN hrnet=HRNet inception=Inception inception-next=InceptionNeXt
inception-resnet=Inception-ResNet iresnet=IResNet keypoint-rcnn=Keypoint_R-CNN lenet=LeNet
lraspp=LR-ASPP mambaout=MambaOut mask-rcnn=Mask_R-CNN mixnet=MixNet mnasnet=MNASNet mobilefacenet=MobileFaceNet
mobilenet-edgetpu=MobileNet-EdgeTPU mobilenetv1=MobileNet mobilenetv2=MobileNetV2 mobilenetv3=MobileNetV3
mobilenetv4=MobileNetV4 mobileone=MobileOne modnet=MODNet mtcnn=MTCNN nasnet=NASNet nf-regnet=NF-RegNet
nf-resnet=NF-ResNet nfnet=NFNet openpose=OpenPose pnasnet=PNASNet pp-lcnet=PP-LCNet pp-lcnetv2=PP-LCNetV2
pp-lcnetv3=PP-LCNetV3 pp-lcnetv4=PP-LCNetV4 pp-hgnet=PP-HGNet pp-hgnetv2=PP-HGNetV2 raft=RAFT rdnet=RDNet
regnet=RegNet repghostnet=RepGhostNet repvgg=RepVGG res2net=Res2Net resnest=ResNeSt resnet=ResNet
resnet-rs=ResNet-RS resnetv2=ResNetV2 resnext=ResNeXt retinaface=RetinaFace retinanet=RetinaNet rexnet=ReXNet
s3d=S3D scrfd=SCRFD se-resnet=SE-ResNet se-resnext=SE-ResNeXt selecsls=SelecSLS senet=SENet
shufflenet=ShuffleNet silero-vad=Silero_VAD sk-resnet=SK-ResNet sk-resnext=SK-ResNeXt
spnasnet=Single-Path_NAS squeezenet=SqueezeNet srcnn=SRCNN ssd=SSD starnet=StarNet textnet=TextNet
tinynet=TinyNet tresnet=TResNet u2net=U2-Net ultraface=UltraFace unet=U-Net univnet=UnivNet uvdoc=UVDoc
vae=VAE vgg=VGG vovnet=VoVNet wide-resnet=Wide_ResNet xception=Xception yolo-nas=YOLO-NAS yolo11=YOLO11
yolov10=YOLOv10 yolov3=YOLOv3 yolov4=YOLOv4 yolov5=YOLOv5 yolov6=YOLOv6 yolov7=YOLOv7 yolov8=YOLOv8
yolov9=YOLOv9 yolox=YOLOX yunet=YuNet r3d=R3D r2plus1d=R(2+1)D mc3=MC3 eca-nfnet=ECA-NFNet
haloregnet=HaloRegNet efficientnet-x=EfficientNet-X picodet=PicoDet rtmpose=RTMPose rtmdet=RTMDet
simplebaseline=SimpleBaseline fsrcnn=FSRCNN slanet=SLANet pp-ocr=PP-OCR
"""

_HYBRID = """
botnet=BoTNet coat=CoaT coatnet=CoAtNet coatnext=CoAtNeXt conformer=Conformer convformer=ConvFormer
caformer=CAFormer convit=ConViT cpubone=CPUBone crnn=CRNN csatv2=CSATv2 cvt=CvT detr=DETR
conditional-detr=Conditional_DETR deformable-detr=Deformable_DETR dab-detr=DAB-DETR rt-detr=RT-DETR
rt-detrv2=RT-DETRv2 d-fine=D-FINE edgenext=EdgeNeXt efficientformer=EfficientFormer
efficientformerv2=EfficientFormerV2 efficientvim=EfficientViM efficientvit=EfficientViT fastvit=FastViT
halonet=HaloNet iformer=iFormer lambda-resnet=LambdaResNet levit=LeViT lowformer=LowFormer
maxvit=MaxViT maxxvit=MaxxViT mobilenetv4-hybrid=MobileNetV4-Hybrid mobilenetv5=MobileNetV5
mobilevit=MobileViT mobilevitv2=MobileViTV2 nextvit=Next-ViT poolformer=PoolFormer poolformerv2=PoolFormerV2
repvit=RepViT shvit=SHViT swiftformer=SwiftFormer svtr=SVTR svtr-lcnet=SVTR-LCNet visformer=Visformer
vitamin=ViTamin xcit=XCiT sd-unet=Stable_Diffusion_U-Net controlnet=ControlNet yolo12=YOLO12 yolo26=YOLO26
table-transformer=Table_Transformer moonshine=Moonshine parakeet=Parakeet zipformer=Zipformer vits=VITS
kokoro=Kokoro mobileclip=MobileCLIP svtr-hgnet=SVTR-HGNet pp-doclayout=PP-DocLayout
wav2vec2-conformer=wav2vec_2.0_Conformer wav2vec2-bert=wav2vec_2.0-BERT depth-pro=Depth_Pro
"""

_RNN = "gru=GRU lstm=LSTM rnn=RNN sequencer=Sequencer xlstm=xLSTM rwkv=RWKV"
_MIXER = "mlp-mixer=MLP-Mixer resmlp=ResMLP gmlp=gMLP gmixer=gMixer fnet=FNet patchtsmixer=PatchTSMixer"
_MLP = "mlp=Multi-layer_perceptron tabnet=TabNet"

_TRANSFORMER = """
aimv2=AIMv2 albert=ALBERT align=ALIGN altclip=AltCLIP audio-spectrogram-transformer=AST bark=Bark bart=BART
beit=BEiT beit3=BEiT-3 beitv2=BEiTv2 bert=BERT bert-generation=BertGeneration big-bird=BigBird biogpt=BioGPT
blenderbot=Blenderbot blip=BLIP blip-2=BLIP-2 bloom=BLOOM bros=BROS cait=CaiT camembert=CamemBERT canine=CANINE
chinese-clip=Chinese-CLIP clap=CLAP clip=CLIP clipseg=CLIPSeg codegen=CodeGen convbert=ConvBERT
crossvit=CrossViT ctrl=CTRL data2vec=data2vec davit=DaViT deberta=DeBERTa deepseek-vit=DeepSeek-ViT deit=DeiT
deit3=DeiT_III depth-anything=Depth_Anything dinov2=DINOv2 dinov3=DINOv3 distilbert=DistilBERT donut-swin=Donut
dpr=DPR dpt=DPT electra=ELECTRA ernie=ERNIE esm=ESM esmc=ESM_C eva=EVA eva02=EVA-02 falcon=Falcon
flaubert=FlauBERT flava=FLAVA flexivit=FlexiViT florence2=Florence-2 flux=FLUX ft-transformer=FT-Transformer
fuyu=Fuyu gcvit=GC_ViT gemma=Gemma gemma2=Gemma_2 gemma3=Gemma_3 gemma3n=Gemma_3n gemma4=Gemma_4
gemma4-vit=Gemma_4_ViT git=GIT glpn=GLPN gpt-bigcode=GPT-BigCode gpt-neo=GPT-Neo gpt-neox=GPT-NeoX
gpt-oss=gpt-oss gpt-sw3=GPT-SW3 gpt2=GPT-2 gptj=GPT-J granite=Granite groupvit=GroupViT hiera=Hiera
hubert=HuBERT ibert=I-BERT ijepa=I-JEPA imagegpt=ImageGPT layoutlm=LayoutLM layoutlmv3=LayoutLMv3 led=LED
lilt=LiLT llama=Llama longformer=Longformer longt5=LongT5 luke=LUKE lxmert=LXMERT m2m100=M2M100 mamba=Mamba
mamba2=Mamba-2 marian=Marian markuplm=MarkupLM mask2former=Mask2Former maskformer=MaskFormer mbart=mBART
megatron-bert=Megatron-BERT mgp-str=MGP-STR mistral=Mistral mixtral=Mixtral mobilebert=MobileBERT
modernbert=ModernBERT mpnet=MPNet mpt=MPT mra=MRA mt5=mT5 mvit=MViT mvitv2=MViTv2 mvp=MVP naflexvit=NaFlexViT
nest=NesT nllb-moe=NLLB-MoE nomic-bert=NomicBERT nystromformer=Nystromformer olmo=OLMo olmo2=OLMo_2 olmo3=OLMo_3
olmoe=OLMoE oneformer=OneFormer openai-gpt=GPT opt=OPT owlvit=OWL-ViT owlv2=OWLv2 paligemma=PaliGemma
pe-vit=PE-ViT pegasus=Pegasus perceiver=Perceiver phi=Phi phi3=Phi-3 pit=PiT pixart=PixArt plbart=PLBart
prophetnet=ProphetNet pvt=PVT pvtv2=PVTv2 qwen2=Qwen2 qwen3=Qwen3 qwen3-vit=Qwen3-ViT reformer=Reformer
rembert=RemBERT roberta=RoBERTa roc-bert=RoCBert roformer=RoFormer sam=SAM sam2=SAM_2 sam3=SAM_3 sapiens2=Sapiens2
sd3=Stable_Diffusion_3 segformer=SegFormer seggpt=SegGPT sew=SEW sew-d=SEW-D siglip=SigLIP siglip2=SigLIP_2
speech-to-text=Speech2Text speecht5=SpeechT5 splinter=Splinter squeezebert=SqueezeBERT stablelm=StableLM
starcoder2=StarCoder2 swin=Swin swin2sr=Swin2SR swin3d=Video_Swin swinv2=SwinV2 swinv2-cr=SwinV2-CR t5=T5
tapas=TAPAS timesformer=TimeSformer tiny-vit=TinyViT tipsv2=TIPSv2 tnt=TNT trocr=TrOCR twins=Twins udop=UDOP
umt5=UMT5 unispeech=UniSpeech unispeech-sat=UniSpeech-SAT videomae=VideoMAE vilt=ViLT visual-bert=VisualBERT
vit=ViT vit-hybrid=ViT-Hybrid vit-mae=ViT-MAE vit-msn=ViT-MSN vit-relpos=ViT-RelPos vit-rope=ViT-RoPE vitdet=ViTDet
vivit=ViViT vjepa2=V-JEPA_2 volo=VOLO wav2vec2=wav2vec_2.0 wavlm=WavLM whisper=Whisper xclip=X-CLIP xglm=XGLM
xlm=XLM xlm-roberta=XLM-RoBERTa xlm-roberta-xl=XLM-RoBERTa-XL xlnet=XLNet xmod=X-MOD yolos=YOLOS yoso=YOSO
coca=CoCa slanext=SLANeXt internvit=InternViT lingbot-vit=LingBot-ViT parseq=PARSeq dit=DiT
"""


def _read():
    table = {}
    for kind, text in (("cnn", _CNN), ("hybrid", _HYBRID), ("rnn", _RNN), ("mixer", _MIXER),
                       ("mlp", _MLP), ("transformer", _TRANSFORMER)):
        for pair in text.split():
            family, _, display = pair.partition("=")
            table[family] = (display.replace("_", " "), kind)
    return table


FAMILIES = _read()
